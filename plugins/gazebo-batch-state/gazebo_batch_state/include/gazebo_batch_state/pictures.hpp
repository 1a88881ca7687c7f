// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/GetImage.h>

#include <atomic>
#include <ignition/math/Color.hh>
#include <string>
#include <vector>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// What the library that takes pictures can do; PictureLibrary loads it.
class Pictures {
 public:
  Pictures() = default;
  virtual ~Pictures() = default;
  Pictures(const Pictures&) = delete;
  Pictures& operator=(const Pictures&) = delete;

  /// See GetImage.srv.
  virtual void GetImage(gazebo_batch_state_msgs::GetImage::Request& request,
                        gazebo_batch_state_msgs::GetImage::Response& response) = 0;

  /// Removes lights of models that have just been deleted.
  ///
  /// The scene knows lights by name, would keep these, and end the server at the next of that name.
  virtual void RemoveLights(std::vector<std::string> names) = 0;

  /// Waits until what Gazebo renders has the models and lights of the world.
  ///
  /// A name that is used again before would be drawn wrongly: the scene finds the old parts by
  /// name. Models that do not come or go by Gazebo's messages are added and removed without them.
  virtual void Settle() = 0;
};

/// What the library needs.
struct PictureSetting {
  BatchWorld& world;
  ignition::math::Color ambient;     ///< light of the world's description
  const std::atomic<bool>& stopped;  ///< a call in progress is to end early
};

/// The library's one function; who calls it deletes the result.
using MakePictures = Pictures* (*)(const PictureSetting&);
constexpr const char* kMakePictures = "gazebo_batch_state_make_pictures";

}  // namespace gazebo_batch_state
