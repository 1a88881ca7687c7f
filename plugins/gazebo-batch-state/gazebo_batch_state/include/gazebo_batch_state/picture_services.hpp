// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/GetImage.h>

#include <ignition/math/Color.hh>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/renderer.hpp"

namespace gazebo_batch_state {

/// Pictures of the present instant: see GetImage.srv.
class PictureServices {
 public:
  /// Call it where the world does not run yet.
  PictureServices(BatchWorld& world, Renderer& renderer);

  void GetImage(gazebo_batch_state_msgs::GetImage::Request& request,
                gazebo_batch_state_msgs::GetImage::Response& response);

 private:
  BatchWorld& world_;
  Renderer& renderer_;
  ignition::math::Color ambient_;
};

}  // namespace gazebo_batch_state
