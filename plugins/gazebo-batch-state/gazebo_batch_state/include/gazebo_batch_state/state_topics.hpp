// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/node_handle.h>
#include <ros/publisher.h>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// Topics model_states, link_states and visual_states; costs nothing while nobody subscribes.
class StateTopics {
 public:
  /// \param rate messages per second of simulated time, of each topic
  StateTopics(ros::NodeHandle node, double rate);

  /// Publishes if it is time to; called at the end of each step.
  void Publish(const BatchWorld::View& view);

 private:
  bool IsDue(const Instant& now);

  ros::Publisher models_;
  ros::Publisher links_;
  ros::Publisher visuals_;
  double period_;
  double last_ = -1.0;  // simulated time [s]
};

}  // namespace gazebo_batch_state
