// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "gazebo_batch_state/entity_index.hpp"

namespace gazebo_batch_state {

/// Forces [N] and torques [N m] on links during the steps to come; nearly all of them are 0.
class WrenchTable {
 public:
  explicit WrenchTable(const EntityIndex& index) : index_(index) {}

  /// Takes on the rows of the index.
  void Follow();

  /// Copies the cells of those that are not 0.
  ///
  /// \param numbers rows of the table of links
  void Read(double* numbers) const;

  /// Sets force or torque of a link.
  ///
  /// \return why it was refused, or nothing
  Reason Write(Row row, std::uint8_t column, const double* cell);

  bool IsIdle() const { return wrenches_.empty(); }

  /// Exerts all of them for the physics step that begins.
  void Apply() const;

  void Clear() { wrenches_.clear(); }

 private:
  struct Wrench {
    std::uint32_t id = 0;  // Gazebo's, of the link
    Vector3d force;
    Vector3d torque;
  };

  const EntityIndex& index_;
  std::map<Row, Wrench> wrenches_;
};

}  // namespace gazebo_batch_state
