// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/GetKinematics.h>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// All that the motion of links under joints depends on.
class KinematicsServices {
 public:
  explicit KinematicsServices(BatchWorld& world) : world_(world) {}

  void GetKinematics(gazebo_batch_state_msgs::GetKinematics::Request& request,
                     gazebo_batch_state_msgs::GetKinematics::Response& response);

 private:
  BatchWorld& world_;
};

}  // namespace gazebo_batch_state
