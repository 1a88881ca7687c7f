// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/clock_topic.hpp"

#include <ros/advertise_options.h>
#include <ros/master.h>
#include <ros/this_node.h>

#include <boost/make_shared.hpp>
#include <cstdint>
#include <string>

#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {
namespace {

constexpr const char* kTopic = "/clock";
constexpr std::uint32_t kQueue = 10;
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

void ClockTopic::Start(ros::NodeHandle node, ros::CallbackQueue& queue) {
  if (IsPublished()) {
    return;
  }
  auto options = ros::AdvertiseOptions::create<rosgraph_msgs::Clock>(
      kTopic, kQueue, [this](const auto& subscriber) { Greet(subscriber); }, {}, {}, &queue);
  publisher_ = node.advertise(options);
  node.setParam("/use_sim_time", true);
}

void ClockTopic::Publish(const Instant& now, StepKind kind) {
  const std::lock_guard<std::mutex> lock(mutex_);
  latest_.emplace().clock = TimeOf(now);
  if (publisher_ == nullptr || publisher_.getNumSubscribers() == 0) {
    return;
  }
  const auto moment = std::chrono::steady_clock::now();
  if (kind == StepKind::kLast || moment - sent_ >= kShortest) {
    sent_ = moment;
    // By a pointer: roscpp itself may subscribe, if /use_sim_time was set before.
    publisher_.publish(boost::make_shared<rosgraph_msgs::Clock>(*latest_));
  }
}

void ClockTopic::Greet(const ros::SingleSubscriberPublisher& subscriber) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (latest_) {
    subscriber.publish(*latest_);
  }
}

}  // namespace gazebo_batch_state
