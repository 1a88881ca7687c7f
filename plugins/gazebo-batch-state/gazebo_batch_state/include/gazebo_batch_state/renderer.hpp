// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <gazebo/common/Event.hh>
#include <gazebo/rendering/RenderTypes.hh>
#include <memory>
#include <string>
#include <vector>

#include "gazebo_batch_state/picture_sensor.hpp"

namespace gazebo_batch_state {

/// What is to be done on the thread that renders, for the service thread; not with access to the
/// world, which Gazebo may want for it.
class Renderer {
 public:
  explicit Renderer(std::string world);

  /// Does some work with the scene and waits for it.
  ///
  /// \throws std::runtime_error if it fails or takes too long
  void Run(const std::function<void(PictureSensor&)>& work);

  /// Removes lights of models that have just been deleted, if Gazebo renders.
  ///
  /// The scene knows lights by name, would keep these, and end the server at the next of that name.
  void RemoveLights(std::vector<std::string> names);

  /// Waits until what Gazebo renders has the models and lights of the world, if it renders.
  ///
  /// A name that is used again before would be drawn wrongly: the scene finds the old parts by
  /// name. Models that do not come or go by Gazebo's messages are added and removed without them.
  void Settle(BatchWorld& world);

  /// Lets a call in progress end early. From any thread.
  void Interrupt() { stopped_ = true; }
  bool Interrupted() const { return stopped_; }

 private:
  /// Whether there is something to be kept true; without a display Gazebo only pretends to render.
  bool Draws() const;

  std::string world_;
  std::shared_ptr<PictureSensor> sensor_;  // from the first work on
  std::atomic<bool> stopped_{false};
  std::atomic<bool> rendering_{false};  // there is a scene
  gazebo::event::ConnectionPtr rendered_;
};

}  // namespace gazebo_batch_state
