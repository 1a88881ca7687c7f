// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/shared_file.hpp"

#include <new>

namespace gazebo_batch_state {
namespace {

constexpr std::uint64_t kLine = 64;  // so that two buffers never share a cache line

std::uint64_t Stride(const SharedFile::RowCounts& rows) {
  std::uint64_t numbers = 0;
  for (std::size_t table = 0; table < kTables; ++table) {
    numbers += std::uint64_t{rows[table]} * kLayout[table].width;
  }
  const std::uint64_t bytes = sizeof(SharedBuffer) + numbers * sizeof(double);
  return (bytes + kLine - 1) / kLine * kLine;
}

}  // namespace

SharedFile::SharedFile(const std::string& directory, std::uint64_t boot, std::uint64_t generation,
                       const RowCounts& rows)
    : stride_(Stride(rows)),
      file_(directory, kSharedMagic, sizeof(SharedHeader) + kSharedBuffers * stride_) {
  Fill(boot, generation, rows);
}

void SharedFile::Fill(std::uint64_t boot, std::uint64_t generation, const RowCounts& rows) {
  auto* header = new (file_.Memory()) SharedHeader{};
  header->version = kSharedVersion;
  header->header_size = sizeof(SharedHeader);
  header->size = file_.Size();
  header->stride = stride_;
  header->buffers = kSharedBuffers;
  header->boot = boot;
  header->generation = generation;
  header->latest = kSharedBuffers - 1;
  header->rows = rows;
  for (std::uint32_t number = 0; number < kSharedBuffers; ++number) {
    const std::uint64_t start = sizeof(SharedHeader) + number * stride_;
    auto* buffer = new (file_.At<char>(start)) SharedBuffer{};
    buffer->generation = generation;
    std::uint64_t offset = start + sizeof(SharedBuffer);
    for (std::size_t table = 0; table < kTables; ++table) {
      buffer->offset[table] = offset;
      offset += std::uint64_t{rows[table]} * kLayout[table].width * sizeof(double);
    }
  }
  std::atomic_thread_fence(std::memory_order_release);
  header->magic = kSharedMagic;
}

SharedBuffer& SharedFile::Buffer(std::uint32_t number) const {
  return *file_.At<SharedBuffer>(sizeof(SharedHeader) + number * stride_);  // made by Fill
}

void SharedFile::BeginBuffer() {
  if (!writing_) {
    writing_ = true;
    SharedBuffer& buffer = Buffer(next_);
    buffer.sequence.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    buffer.filled = 0;
  }
}

double* SharedFile::Begin(Table table) {
  BeginBuffer();
  SharedBuffer& buffer = Buffer(next_);
  buffer.filled |= Bit(table);
  return file_.At<double>(buffer.offset[static_cast<std::size_t>(table)]);
}

void SharedFile::Commit(const Instant& instant, std::chrono::nanoseconds lasting) {
  BeginBuffer();  // also without a table
  SharedBuffer& buffer = Buffer(next_);
  buffer.iterations = instant.iterations;
  buffer.seconds = instant.seconds;
  buffer.nanoseconds = instant.nanoseconds;
  buffer.timestep = instant.timestep;
  const auto end = std::chrono::steady_clock::now() + lasting;  // Linux: CLOCK_MONOTONIC
  buffer.expires =
      static_cast<std::uint64_t>(std::chrono::nanoseconds(end.time_since_epoch()).count());
  buffer.sequence.fetch_add(1, std::memory_order_release);
  Header().latest.store(next_, std::memory_order_release);
  next_ = (next_ + 1) % kSharedBuffers;
  writing_ = false;
}

}  // namespace gazebo_batch_state
