// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/msgs/visual.pb.h>

#include <cstdint>
#include <gazebo/transport/Node.hh>
#include <string>

#include "gazebo_batch_state/entity_index.hpp"
#include "gazebo_batch_state/look_table.hpp"
#include "gazebo_batch_state/topic_mirror.hpp"

namespace gazebo_batch_state {

/// How visuals look; changes are told to all that render, and theirs are followed.
///
/// A visual starts as described. Without a material, or where that is nothing but the name of a
/// script, which only renderers can read, it is plain grey: ambient and diffuse 0.7, specular 0.1.
class VisualTable {
 public:
  explicit VisualTable(const gazebo::transport::NodePtr& node) : mirror_(node, "~/visual") {}

  /// Takes on the rows of an index.
  void Follow(const EntityIndex& index);

  /// Takes over what others have changed.
  void Receive(const EntityIndex& index);

  void Set(Row row, std::uint8_t column, const double* cell) { table_.Set(row, column, cell); }

  /// Tells all that render what was set.
  void Publish(const EntityIndex& index);

  /// Tells all that render that a model is gone.
  void PublishRemoval(const std::string& name, std::uint32_t id);

  const LookTable& Numbers() const { return table_; }

 private:
  LookTable table_{Table::kVisuals};
  TopicMirror<gazebo::msgs::Visual> mirror_;
};

}  // namespace gazebo_batch_state
