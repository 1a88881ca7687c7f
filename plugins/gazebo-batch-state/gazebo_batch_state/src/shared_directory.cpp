// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/shared_directory.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace gazebo_batch_state {
namespace {

constexpr const char* kDefaultDirectory = "/dev/shm";
constexpr const char* kDirectories = "GAZEBO_BATCH_STATE_DIRECTORIES";

/// The directories that who started the server lets clients choose: the default, and a list.
bool IsAllowed(const std::string& directory) {
  if (directory == kDefaultDirectory) {
    return true;
  }
  const char* list = std::getenv(kDirectories);
  std::istringstream allowed(list != nullptr ? list : "");
  for (std::string each; std::getline(allowed, each, ':');) {
    if (each == directory) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string CheckedDirectory(const std::string& directory) {
  std::string where = directory.empty() ? kDefaultDirectory : directory;
  if (!IsAllowed(where)) {
    throw std::runtime_error("directory '" + where + "' is neither " + kDefaultDirectory +
                             " nor in the server's environment variable " + kDirectories);
  }
  return where;
}

}  // namespace gazebo_batch_state
