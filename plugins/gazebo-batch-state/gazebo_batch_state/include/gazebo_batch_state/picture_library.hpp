// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <gazebo/common/Event.hh>
#include <ignition/math/Color.hh>
#include <memory>
#include <string>
#include <vector>

#include "gazebo_batch_state/pictures.hpp"

namespace gazebo_batch_state {

/// Why this server takes no pictures; empty where it does.
Reason WhyNoPictures();

/// Pictures, by a library of its own that is loaded when Gazebo begins to render or the first
/// picture is asked for: a server without cameras does without it. For the service thread.
class PictureLibrary {
 public:
  /// Call it where the world does not run yet.
  explicit PictureLibrary(BatchWorld& world);

  /// See GetImage.srv.
  void GetImage(gazebo_batch_state_msgs::GetImage::Request& request,
                gazebo_batch_state_msgs::GetImage::Response& response);

  /// See Pictures; nothing where Gazebo does not render.
  void RemoveLights(std::vector<std::string> names);
  void Settle();

  /// Lets a call in progress end early. From any thread, and in a signal handler.
  void Interrupt() { stopped_ = true; }

 private:
  /// Whether there is something to be kept true; without a display Gazebo only pretends to render.
  bool Draws() const { return rendering_ && WhyNoPictures().empty(); }
  Pictures& Loaded();

  BatchWorld& world_;
  ignition::math::Color ambient_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> rendering_{false};  // there is a scene
  std::unique_ptr<Pictures> pictures_;
  gazebo::event::ConnectionPtr rendered_;
};

}  // namespace gazebo_batch_state
