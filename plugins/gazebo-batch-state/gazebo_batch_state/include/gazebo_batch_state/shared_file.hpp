// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include "gazebo_batch_state/instant.hpp"
#include "gazebo_batch_state/mapped_file.hpp"
#include "gazebo_batch_state/shared_table.hpp"

namespace gazebo_batch_state {

/// A file with the tables of one generation, written again and again; removed in the end.
class SharedFile {
 public:
  using RowCounts = std::array<std::uint32_t, kTables>;

  /// Makes a file that only this user can read.
  ///
  /// \param directory an existing one, best on a tmpfs
  /// \throws std::system_error with the path if it cannot be made
  SharedFile(const std::string& directory, std::uint64_t boot, std::uint64_t generation,
             const RowCounts& rows);
  ~SharedFile() { MarkObsolete(); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Whether some client reads a table.
  bool Wants(Table table) const {
    return (Header().wanted.load(std::memory_order_acquire) & Bit(table)) != 0;
  }

  /// Where the next write goes, one array per table; filled before Commit.
  double* Begin(Table table);

  /// Completes a write: it becomes the latest, and counts as the present for some time.
  void Commit(const Instant& instant, std::chrono::nanoseconds lasting);

  /// Tells clients that this file is written no more.
  void MarkObsolete() { Header().obsolete.store(1, std::memory_order_release); }

  /// Whether some client holds its lock.
  bool IsRead() const { return file_.IsUsed(); }

  const std::string& Path() const { return file_.Path(); }
  std::uint64_t Size() const { return file_.Size(); }

 private:
  static std::uint32_t Bit(Table table) { return 1U << static_cast<std::uint32_t>(table); }
  void BeginBuffer();
  SharedHeader& Header() const { return *file_.At<SharedHeader>(0); }
  SharedBuffer& Buffer(std::uint32_t number) const;
  void Fill(std::uint64_t boot, std::uint64_t generation, const RowCounts& rows);

  std::uint64_t stride_;
  MappedFile file_;
  std::uint32_t next_ = 0;
  bool writing_ = false;
};

}  // namespace gazebo_batch_state
