// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/shared_memory.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

#include "gazebo_batch_state/shared_directory.hpp"

namespace gazebo_batch_state {
namespace {

constexpr auto kGrace = std::chrono::seconds(5);  // for a client to take the lock
constexpr std::size_t kMostFiles = 8;

// How long what was written counts as the present: in a world that stands still for less than any
// call takes by which others could change it, in one that runs for two steps.
constexpr auto kStandingLasts = std::chrono::microseconds(50);
constexpr auto kRunningLasts = std::chrono::milliseconds(100);  // at most

std::uint64_t RandomNumber() {
  std::random_device random;
  return (std::uint64_t{random()} << 32U) | random();
}

}  // namespace

SharedMemory::SharedMemory() : boot_(RandomNumber()) {}

const SharedFile& SharedMemory::Open(const BatchWorld::View& world, const std::string& directory) {
  const std::string where = CheckedDirectory(directory);
  const std::uint64_t generation = world.Index().Generation();
  auto found = files_.find(where);
  if (found == files_.end() || found->second.generation != generation) {
    if (found == files_.end() && files_.size() >= kMostFiles) {
      throw std::runtime_error("there are shared tables in " + std::to_string(kMostFiles) +
                               " directories already: use one of those");
    }
    SharedFile::RowCounts rows;
    for (const Table table : kAllTables) {
      rows[static_cast<std::size_t>(table)] = static_cast<std::uint32_t>(world.Rows(table));
    }
    auto file = std::make_unique<SharedFile>(where, boot_, generation, rows);
    found = files_.insert_or_assign(where, Entry{std::move(file), generation, {}}).first;
  }
  Write(world, *found->second.file,
        kStandingLasts);  // what has been wanted since it was asked for before
  found->second.asked = Clock::now();
  return *found->second.file;
}

void SharedMemory::Write(const BatchWorld::View& world, SharedFile& file,
                         std::chrono::nanoseconds lasting) {
  for (const Table table : kAllTables) {
    if (file.Wants(table)) {
      world.Read(table, file.Begin(table));
    }
  }
  file.Commit(world.Now(), lasting);
}

void SharedMemory::Write(const BatchWorld::View& world, bool runs) {
  std::chrono::nanoseconds lasting = kStandingLasts;
  if (runs) {
    const auto before = std::exchange(stepped_, Clock::now());
    lasting = std::min<std::chrono::nanoseconds>(2 * (stepped_ - before), kRunningLasts);
  }
  for (auto entry = files_.begin(); entry != files_.end();) {
    if (entry->second.generation != world.Index().Generation()) {
      entry = files_.erase(entry);  // its destructor marks it as obsolete
    } else {
      Write(world, *entry->second.file, lasting);
      ++entry;
    }
  }
}

void SharedMemory::Sweep(const BatchWorld::View& world) {
  for (auto entry = files_.begin(); entry != files_.end();) {
    const bool old = entry->second.generation != world.Index().Generation();
    const bool waiting = Clock::now() - entry->second.asked < kGrace;
    entry =
        old || !(waiting || entry->second.file->IsRead()) ? files_.erase(entry) : std::next(entry);
  }
}

}  // namespace gazebo_batch_state
