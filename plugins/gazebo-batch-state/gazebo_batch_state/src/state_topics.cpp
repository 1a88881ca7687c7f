// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/state_topics.hpp"

#include <gazebo_batch_state_msgs/VisualStates.h>
#include <gazebo_msgs/LinkStates.h>
#include <gazebo_msgs/ModelStates.h>

#include "gazebo_batch_state/look_services.hpp"
#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {
namespace {

constexpr std::uint32_t kQueue = 10;

template <class Message>
Message StatesOf(const BatchWorld::View& view, Table table) {
  Message message;
  message.name = view.Index().Names(table).Names();
  message.pose.reserve(message.name.size());
  message.twist.reserve(message.name.size());
  for (Row row = 0; row < message.name.size(); ++row) {
    const State state = view.StateOf(table, row);
    message.pose.push_back(ToRos(state.pose));
    message.twist.push_back(ToRos(state.twist));
  }
  return message;
}

gazebo_batch_state_msgs::VisualStates VisualsOf(const BatchWorld::View& view) {
  const auto& names = view.Index().Names(Table::kVisuals).Names();
  gazebo_batch_state_msgs::VisualStates message;
  message.header.stamp = TimeOf(view.Now());
  message.visuals.resize(names.size());
  for (std::size_t row = 0; row < names.size(); ++row) {
    message.visuals[row].name = names[row];
    FillLooks(view.Looks(Table::kVisuals).Cells(row), message.visuals[row]);
  }
  return message;
}

}  // namespace

StateTopics::StateTopics(ros::NodeHandle node, double rate)
    : models_(node.advertise<gazebo_msgs::ModelStates>("model_states", kQueue)),
      links_(node.advertise<gazebo_msgs::LinkStates>("link_states", kQueue)),
      visuals_(node.advertise<gazebo_batch_state_msgs::VisualStates>("visual_states", kQueue)),
      period_(1.0 / rate) {}

bool StateTopics::IsDue(const Instant& now) {
  const double time = TimeOf(now).toSec();
  // Half a step of room, or rounding would make every other message late by a step.
  const bool due = time < last_ || time - last_ >= period_ - 0.5 * now.timestep;
  last_ = due ? time : last_;
  return due;
}

void StateTopics::Publish(const BatchWorld::View& view) {
  if (!IsDue(view.Now())) {
    return;
  }
  if (models_.getNumSubscribers() > 0) {
    models_.publish(StatesOf<gazebo_msgs::ModelStates>(view, Table::kModels));
  }
  if (links_.getNumSubscribers() > 0) {
    links_.publish(StatesOf<gazebo_msgs::LinkStates>(view, Table::kLinks));
  }
  if (visuals_.getNumSubscribers() > 0) {
    visuals_.publish(VisualsOf(view));
  }
}

}  // namespace gazebo_batch_state
