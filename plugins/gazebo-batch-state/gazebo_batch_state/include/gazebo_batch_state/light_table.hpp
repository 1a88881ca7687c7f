// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/msgs/light.pb.h>

#include <cstdint>
#include <gazebo/transport/Node.hh>

#include "gazebo_batch_state/entity_index.hpp"
#include "gazebo_batch_state/look_table.hpp"
#include "gazebo_batch_state/topic_mirror.hpp"

namespace gazebo_batch_state {

/// Colour, reach and pose of lights; changes are told to all, those of others are followed.
///
/// A pose is in the frame of the link that carries the light, or of the world. Gazebo hears of it
/// from the light itself: a message has it in the world frame, of another instant.
class LightTable {
 public:
  explicit LightTable(const gazebo::transport::NodePtr& node) : mirror_(node, "~/light/modify") {}

  /// Takes on the rows of an index.
  void Follow(const EntityIndex& index);

  /// Takes over what others have changed.
  void Receive(const EntityIndex& index);

  void Set(Row row, std::uint8_t column, const double* cell) { table_.Set(row, column, cell); }

  /// Moves lights, and tells the world and all that render what was set.
  void Publish(const EntityIndex& index);

  const LookTable& Numbers() const { return table_; }

 private:
  LookTable table_{Table::kLights};
  TopicMirror<gazebo::msgs::Light> mirror_;
};

}  // namespace gazebo_batch_state
