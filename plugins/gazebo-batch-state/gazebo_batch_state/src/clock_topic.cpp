// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/clock_topic.hpp"

#include <ros/master.h>
#include <ros/this_node.h>
#include <rosgraph_msgs/Clock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {
namespace {

constexpr const char* kTopic = "/clock";
constexpr auto kShortest = std::chrono::microseconds(500);

bool IsPublished() {
  XmlRpc::XmlRpcValue request;
  XmlRpc::XmlRpcValue response;
  XmlRpc::XmlRpcValue state;
  request[0] = ros::this_node::getName();
  if (!ros::master::execute("getSystemState", request, response, state, false)) {
    return false;
  }
  for (int topic = 0; topic < state[0].size(); ++topic) {
    if (std::string(state[0][topic][0]) == kTopic) {
      return true;
    }
  }
  return false;
}

}  // namespace

void ClockTopic::Start(ros::NodeHandle node) {
  if (!IsPublished()) {
    publisher_ = node.advertise<rosgraph_msgs::Clock>(kTopic, 10, true);
    node.setParam("/use_sim_time", true);
  }
}

void ClockTopic::Publish(const Instant& now, StepKind kind) {
  const auto moment = std::chrono::steady_clock::now();
  if (publisher_ == nullptr || (kind != StepKind::kLast && moment - last_ < kShortest)) {
    return;
  }
  last_ = moment;
  rosgraph_msgs::Clock clock;
  clock.clock = TimeOf(now);
  publisher_.publish(clock);
}

}  // namespace gazebo_batch_state
