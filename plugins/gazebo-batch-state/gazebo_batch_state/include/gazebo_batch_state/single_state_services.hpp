// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_msgs/GetModelState.h>
#include <gazebo_msgs/SetModelState.h>

#include <gazebo/physics/PhysicsTypes.hh>

namespace gazebo_batch_state {

/// One model per call, with the messages of gazebo_ros and done in its way: a search by name and a
/// short pause around a write. For benchmarks on systems that have no gazebo_ros; nothing else
/// should use it.
class SingleStateServices {
 public:
  explicit SingleStateServices(gazebo::physics::WorldPtr world) : world_(std::move(world)) {}

  void GetModelState(gazebo_msgs::GetModelState::Request& request,
                     gazebo_msgs::GetModelState::Response& response);
  void SetModelState(gazebo_msgs::SetModelState::Request& request,
                     gazebo_msgs::SetModelState::Response& response);

 private:
  gazebo::physics::WorldPtr world_;
};

}  // namespace gazebo_batch_state
