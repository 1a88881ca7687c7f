// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <gazebo/rendering/RenderTypes.hh>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gazebo_batch_state/picture_sensor.hpp"

namespace gazebo_batch_state {

/// What is to be done on the thread that renders, for the service thread; not with access to the
/// world, which Gazebo may want for it.
class Renderer {
 public:
  /// \param stopped looked at now and then: whether a call in progress is to end early
  Renderer(std::string world, const std::atomic<bool>& stopped)
      : world_(std::move(world)), stopped_(stopped) {}

  /// Does some work with the scene and waits for it.
  ///
  /// \throws std::runtime_error if it fails or takes too long
  void Run(const std::function<void(PictureSensor&)>& work);

  /// See Pictures.
  void RemoveLights(std::vector<std::string> names);
  void Settle(BatchWorld& world);

  bool Interrupted() const { return stopped_; }

 private:
  std::string world_;
  std::shared_ptr<PictureSensor> sensor_;  // from the first work on
  const std::atomic<bool>& stopped_;
};

}  // namespace gazebo_batch_state
