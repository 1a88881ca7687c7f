// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/mapped_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace gazebo_batch_state {
namespace {

constexpr const char* kPrefix = "gazebo_batch_state.";

/// Locks a file for as long as it is open, in a way that clients' flock does not touch.
bool Own(int file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

/// Whether a file is of a kind, and one that a server of this user has filled.
bool IsOurs(int file, std::uint64_t kind) {
  struct stat status {};
  std::uint64_t magic = 0;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
         pread(file, &magic, sizeof(magic), 0) == sizeof(magic) && magic == kind;
}

/// Removes what servers left behind that were killed.
void RemoveOrphans(const std::string& directory, std::uint64_t kind) {
  std::error_code ignored;  // what cannot be read or removed is not ours
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (entry.path().filename().string().rfind(kPrefix, 0) == 0) {
      const int file = open(entry.path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
      if (file >= 0) {
        if (IsOurs(file, kind) && Own(file)) {
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

MappedFile::MappedFile(const std::string& directory, std::uint64_t magic, std::uint64_t size,
                       std::uint64_t most)
    : path_(NewPath(directory)), size_(size), most_(most) {
  RemoveOrphans(directory, magic);
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  int error = file_ < 0 ? errno : 0;
  if (error == 0) {
    Own(file_);
    // Takes the space now: with a sparse file a full disk would be a SIGBUS in the middle.
    error = posix_fallocate(file_, 0, static_cast<off_t>(size_));
    if (error == 0) {
      memory_ = mmap(nullptr, most_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
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
}

MappedFile::~MappedFile() {
  munmap(memory_, most_);
  unlink(path_.c_str());
  close(file_);
}

void MappedFile::Grow(std::uint64_t size) {
  if (size > most_) {
    throw std::length_error(path_ + " has room for " + std::to_string(most_) + " bytes, not for " +
                            std::to_string(size));
  }
  const int error = posix_fallocate(file_, 0, static_cast<off_t>(size));
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot enlarge " + path_);
  }
  size_ = size;
}

bool MappedFile::IsUsed() const {
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    return true;
  }
  flock(file_, LOCK_UN);
  return false;
}

}  // namespace gazebo_batch_state
