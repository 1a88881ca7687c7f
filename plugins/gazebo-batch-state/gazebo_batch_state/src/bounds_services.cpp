// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/bounds_services.hpp"

#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>

#include "gazebo_batch_state/limits.hpp"
#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;
using Box = ignition::math::AxisAlignedBox;

constexpr std::size_t kNumbers = 6;

/// The box of a model or link; returns why there is none, or nothing.
Reason Find(const EntityIndex& index, const std::string& name, Box& box) {
  if (const auto row = index.Names(Table::kModels).Find(name)) {
    box = index.Models()[*row].model->CollisionBoundingBox();
  } else if (const auto link = index.Names(Table::kLinks).Find(name)) {
    box = index.Links()[*link].link->CollisionBoundingBox();
  } else {
    return "there is no model or link '" + name + "'";
  }
  const bool empty = box.Min().X() > box.Max().X();
  return empty ? "nothing of '" + name + "' collides" : Reason();
}

}  // namespace

void BoundsServices::GetBounds(msg::GetBounds::Request& request,
                               msg::GetBounds::Response& response) {
  CheckNames("names", request.names);
  const BatchWorld::Access access(world_);
  const EntityIndex& index = access.Index();
  const auto& names = request.names.empty() ? index.Names(Table::kModels).Names() : request.names;
  response.stamp = TimeOf(access.Now());
  response.bounds.resize(kNumbers * names.size());
  response.success.resize(names.size());
  response.messages.resize(names.size());
  for (std::size_t number = 0; number < names.size(); ++number) {
    Box box;
    Reason& reason = response.messages[number];
    reason = Find(index, names[number], box);
    response.success[number] = reason.empty() ? 1 : 0;
    if (reason.empty()) {
      double* cell = &response.bounds[kNumbers * number];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        cell[axis] = box.Min()[axis];
        cell[3 + axis] = box.Max()[axis];
      }
    }
  }
}

}  // namespace gazebo_batch_state
