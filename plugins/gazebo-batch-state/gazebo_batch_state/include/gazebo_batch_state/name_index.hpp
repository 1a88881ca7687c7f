// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace gazebo_batch_state {

/// The names of a table's rows; a row is found by its name in constant time.
class NameIndex {
 public:
  /// Adds a row.
  ///
  /// \return its number, or nothing if the name is taken: then nothing was added.
  std::optional<std::uint32_t> Add(const std::string& name);

  /// The row of a name, if there is one.
  std::optional<std::uint32_t> Find(const std::string& name) const;

  /// All names in the order of the rows.
  const std::vector<std::string>& Names() const { return names_; }

  std::size_t Size() const { return names_.size(); }

  bool operator==(const NameIndex& other) const { return names_ == other.names_; }
  bool operator!=(const NameIndex& other) const { return names_ != other.names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> rows_;
};

}  // namespace gazebo_batch_state
