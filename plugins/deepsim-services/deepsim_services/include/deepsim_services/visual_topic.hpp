// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/VisualStates.h>
#include <ros/node_handle.h>
#include <ros/publisher.h>
#include <ros/subscriber.h>

namespace deepsim_services {

/// The topic /gazebo/visuals, as often as the plugin publishes visual_states; costs nothing while
/// nobody subscribes.
class VisualTopic {
 public:
  VisualTopic();

 private:
  void FollowSubscribers();
  void Publish(const gazebo_batch_state_msgs::VisualStates& states);

  ros::NodeHandle node_;
  ros::Publisher publisher_;
  ros::Subscriber subscriber_;
};

}  // namespace deepsim_services
