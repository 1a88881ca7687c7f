// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/callback_queue.h>
#include <ros/node_handle.h>
#include <ros/publisher.h>
#include <ros/single_subscriber_publisher.h>
#include <rosgraph_msgs/Clock.h>

#include <chrono>
#include <mutex>
#include <optional>

#include "gazebo_batch_state/instant.hpp"
#include "gazebo_batch_state/lock_step.hpp"

namespace gazebo_batch_state {

/// Publishes simulated time on /clock, unless somebody else does.
///
/// A subscriber gets the time of the last step when it connects. ROS would do that for a latched
/// topic, but then each step would wake a thread of roscpp, even without a subscriber.
class ClockTopic {
 public:
  /// Offers the topic if nobody does; call it when all other plugins have been loaded.
  ///
  /// \param queue whoever works it off greets new subscribers
  void Start(ros::NodeHandle node, ros::CallbackQueue& queue);

  /// At the end of a step; of steps in quick succession only some are told, and the last of those
  /// that were asked for.
  void Publish(const Instant& now, StepKind kind);

 private:
  void Greet(const ros::SingleSubscriberPublisher& subscriber);

  ros::Publisher publisher_;
  std::chrono::steady_clock::time_point sent_;
  std::mutex mutex_;  // or the greeting could come after a later time
  std::optional<rosgraph_msgs::Clock> latest_;
};

}  // namespace gazebo_batch_state
