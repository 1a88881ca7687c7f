// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/GetFactors.h>
#include <gazebo_batch_state_msgs/ScaleLinks.h>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// The physics properties of links, as factors of what was described.
class PhysicsServices {
 public:
  explicit PhysicsServices(BatchWorld& world) : world_(world) {}

  void GetFactors(gazebo_batch_state_msgs::GetFactors::Request& request,
                  gazebo_batch_state_msgs::GetFactors::Response& response);
  void ScaleLinks(gazebo_batch_state_msgs::ScaleLinks::Request& request,
                  gazebo_batch_state_msgs::ScaleLinks::Response& response);

 private:
  BatchWorld& world_;
};

}  // namespace gazebo_batch_state
