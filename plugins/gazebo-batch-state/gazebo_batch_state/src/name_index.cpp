// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/name_index.hpp"

namespace gazebo_batch_state {

std::optional<std::uint32_t> NameIndex::Add(const std::string& name) {
  const auto row = static_cast<std::uint32_t>(names_.size());
  if (!rows_.emplace(name, row).second) {
    return std::nullopt;
  }
  names_.push_back(name);
  return row;
}

std::optional<std::uint32_t> NameIndex::Find(const std::string& name) const {
  const auto found = rows_.find(name);
  if (found == rows_.end()) {
    return std::nullopt;
  }
  return found->second;
}

}  // namespace gazebo_batch_state
