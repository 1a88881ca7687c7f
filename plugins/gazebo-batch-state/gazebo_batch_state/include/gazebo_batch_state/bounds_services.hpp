// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/GetBounds.h>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// Boxes around models and links: see GetBounds.srv.
class BoundsServices {
 public:
  explicit BoundsServices(BatchWorld& world) : world_(world) {}

  void GetBounds(gazebo_batch_state_msgs::GetBounds::Request& request,
                 gazebo_batch_state_msgs::GetBounds::Response& response);

 private:
  BatchWorld& world_;
};

}  // namespace gazebo_batch_state
