// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/shared_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <random>
#include <sstream>
#include <system_error>

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

constexpr const char* kPrefix = "gazebo_batch_state.";

/// Locks a file for as long as it is open, in a way that clients' flock does not touch.
bool Own(int file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

/// Removes what servers left behind that were killed.
void RemoveOrphans(const std::string& directory) {
  std::error_code ignored;  // what cannot be read or removed is not ours
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (entry.path().filename().string().rfind(kPrefix, 0) == 0) {
      const int file = open(entry.path().c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
      if (file >= 0) {
        if (Own(file)) {
          std::filesystem::remove(entry.path(), ignored);
        }
        close(file);
      }
    }
  }
}

std::string NewPath(const std::string& directory) {
  std::random_device random;
  std::ostringstream path;
  path << directory << "/" << kPrefix << getpid() << "." << std::hex << random() << random();
  return path.str();
}

}  // namespace

SharedFile::SharedFile(const std::string& directory, std::uint64_t boot, std::uint64_t generation,
                       const RowCounts& rows)
    : path_(NewPath(directory)),
      stride_(Stride(rows)),
      size_(sizeof(SharedHeader) + kSharedBuffers * stride_) {
  RemoveOrphans(directory);
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  int error = file_ < 0 ? errno : 0;
  if (error == 0) {
    Own(file_);
    // Takes the space now: with a sparse file a full disk would be a SIGBUS in the middle.
    error = posix_fallocate(file_, 0, static_cast<off_t>(size_));
    if (error == 0) {
      memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
      error = memory_ == MAP_FAILED ? errno : 0;
    }
    if (error != 0) {
      close(file_);
      unlink(path_.c_str());
    }
  }
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot make " + path_);
  }
  Fill(boot, generation, rows);
}

SharedFile::~SharedFile() {
  MarkObsolete();
  munmap(memory_, size_);
  unlink(path_.c_str());
  close(file_);
}

void SharedFile::Fill(std::uint64_t boot, std::uint64_t generation, const RowCounts& rows) {
  auto* header = new (memory_) SharedHeader{};
  header->version = kSharedVersion;
  header->header_size = sizeof(SharedHeader);
  header->size = size_;
  header->stride = stride_;
  header->buffers = kSharedBuffers;
  header->boot = boot;
  header->generation = generation;
  header->latest = kSharedBuffers - 1;
  header->rows = rows;
  for (std::uint32_t number = 0; number < kSharedBuffers; ++number) {
    const std::uint64_t start = sizeof(SharedHeader) + number * stride_;
    auto* buffer = new (static_cast<char*>(memory_) + start) SharedBuffer{};
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
  char* start = static_cast<char*>(memory_) + sizeof(SharedHeader) + number * stride_;
  return *reinterpret_cast<SharedBuffer*>(start);  // made there by Fill
}

double* SharedFile::Begin(Table table) {
  SharedBuffer& buffer = Buffer(next_);
  if (!writing_) {
    writing_ = true;
    buffer.sequence.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  char* rows = static_cast<char*>(memory_) + buffer.offset[static_cast<std::size_t>(table)];
  return reinterpret_cast<double*>(rows);
}

void SharedFile::Commit(const Instant& instant) {
  Begin(Table::kModels);  // also an empty table's write is one
  SharedBuffer& buffer = Buffer(next_);
  buffer.iterations = instant.iterations;
  buffer.seconds = instant.seconds;
  buffer.nanoseconds = instant.nanoseconds;
  buffer.timestep = instant.timestep;
  buffer.sequence.fetch_add(1, std::memory_order_release);
  Header().latest.store(next_, std::memory_order_release);
  next_ = (next_ + 1) % kSharedBuffers;
  writing_ = false;
}

bool SharedFile::IsRead() const {
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    return true;
  }
  flock(file_, LOCK_UN);
  return false;
}

}  // namespace gazebo_batch_state
