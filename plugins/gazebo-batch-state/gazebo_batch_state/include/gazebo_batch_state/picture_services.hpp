// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ignition/math/Color.hh>
#include <string>
#include <vector>

#include "gazebo_batch_state/pictures.hpp"
#include "gazebo_batch_state/renderer.hpp"

namespace gazebo_batch_state {

/// Pictures of the present instant.
class PictureServices : public Pictures {
 public:
  explicit PictureServices(const PictureSetting& setting);

  void GetImage(gazebo_batch_state_msgs::GetImage::Request& request,
                gazebo_batch_state_msgs::GetImage::Response& response) override;
  void RemoveLights(std::vector<std::string> names) override;
  void Settle() override { renderer_.Settle(world_); }

 private:
  BatchWorld& world_;
  Renderer renderer_;
  ignition::math::Color ambient_;
};

}  // namespace gazebo_batch_state
