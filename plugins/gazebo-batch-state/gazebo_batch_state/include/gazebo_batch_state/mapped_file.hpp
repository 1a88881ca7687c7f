// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace gazebo_batch_state {

/// A new file that this process and its clients map into memory; removed in the end.
///
/// It is locked for as long as its server lives, so that clients notice when that was killed, and
/// so that the next server knows what was left behind.
class MappedFile {
 public:
  /// Makes a file that only this user can read and write, and fills it with zeros.
  ///
  /// Files of its kind that killed servers of this user left in the directory are removed.
  ///
  /// \param directory an existing one, best on a tmpfs
  /// \param magic the kind: the first eight bytes, which the caller writes when it has filled it
  /// \throws std::system_error with the path if it cannot be made
  MappedFile(const std::string& directory, std::uint64_t magic, std::uint64_t size)
      : MappedFile(directory, magic, size, size) {}

  /// A file that can grow.
  ///
  /// \param most its largest size
  MappedFile(const std::string& directory, std::uint64_t magic, std::uint64_t size,
             std::uint64_t most);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Makes it larger; the memory stays where it is.
  ///
  /// \throws std::length_error if it would be larger than it can be
  /// \throws std::system_error if there is no room, and nothing has changed
  void Grow(std::uint64_t size);

  /// Whether some client holds its lock.
  bool IsUsed() const;

  /// What lies at an offset from the beginning.
  template <class Type>
  Type* At(std::uint64_t offset) const {
    return reinterpret_cast<Type*>(static_cast<char*>(memory_) + offset);
  }

  void* Memory() const { return memory_; }
  const std::string& Path() const { return path_; }
  std::uint64_t Size() const { return size_; }

 private:
  std::string path_;
  std::uint64_t size_;
  std::uint64_t most_;  // is mapped: what lies behind the end of the file is not to be touched
  int file_ = -1;
  void* memory_ = nullptr;
};

}  // namespace gazebo_batch_state
