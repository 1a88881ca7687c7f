// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace gazebo_batch_state {

/// Limits of requests and answers: a call neither fills the memory nor holds the world for long.
constexpr std::size_t kLargestMessage = 64'000'000;  ///< [bytes]
constexpr std::size_t kMostNamed = 20'000;           ///< rows of a request that names them
constexpr std::size_t kLongestName = 1'000;          ///< [bytes]
constexpr std::size_t kMostModels = 100;             ///< to spawn or delete in a call

/// \throws std::length_error saying what there is too much of
inline void CheckCount(const char* what, std::size_t count, std::size_t most) {
  if (count > most) {
    throw std::length_error("at most " + std::to_string(most) + " " + what + " a call, got " +
                            std::to_string(count));
  }
}

/// \throws std::length_error if there are too many names, or one is too long
inline void CheckNames(const char* what, const std::vector<std::string>& names) {
  CheckCount(what, names.size(), kMostNamed);
  for (const std::string& name : names) {
    if (name.size() > kLongestName) {
      throw std::length_error("names have at most " + std::to_string(kLongestName) +
                              " bytes, got one of " + std::to_string(name.size()));
    }
  }
}

}  // namespace gazebo_batch_state
