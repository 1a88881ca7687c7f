// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gazebo_batch_state/instant.hpp"
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
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Where the next write goes, one array per table; filled before Commit.
  double* Begin(Table table);

  /// Completes a write: it becomes the latest.
  void Commit(const Instant& instant);

  /// Tells clients that this file is written no more.
  void MarkObsolete() { Header().obsolete.store(1, std::memory_order_release); }

  /// Whether some client holds its lock.
  bool IsRead() const;

  const std::string& Path() const { return path_; }
  std::uint64_t Size() const { return size_; }

 private:
  SharedHeader& Header() const { return *static_cast<SharedHeader*>(memory_); }
  SharedBuffer& Buffer(std::uint32_t number) const;
  void Fill(std::uint64_t boot, std::uint64_t generation, const RowCounts& rows);

  std::string path_;
  std::uint64_t stride_;
  std::uint64_t size_;
  int file_ = -1;
  void* memory_ = nullptr;
  std::uint32_t next_ = 0;
  bool writing_ = false;
};

}  // namespace gazebo_batch_state
