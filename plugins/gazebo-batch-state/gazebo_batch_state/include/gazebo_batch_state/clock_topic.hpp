// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/node_handle.h>
#include <ros/publisher.h>

#include <chrono>

#include "gazebo_batch_state/instant.hpp"
#include "gazebo_batch_state/lock_step.hpp"

namespace gazebo_batch_state {

/// Publishes simulated time on /clock, unless somebody else does.
class ClockTopic {
 public:
  /// Offers the topic if nobody does; call it when all other plugins have been loaded.
  void Start(ros::NodeHandle node);

  /// At the end of a step; of steps in quick succession only some are told, and the last of those
  /// that were asked for.
  void Publish(const Instant& now, StepKind kind);

 private:
  ros::Publisher publisher_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace gazebo_batch_state
