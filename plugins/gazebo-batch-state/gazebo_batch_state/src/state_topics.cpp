// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/state_topics.hpp"

#include <gazebo_batch_state_msgs/StampedStates.h>
#include <gazebo_batch_state_msgs/VisualStates.h>
#include <gazebo_msgs/LinkStates.h>
#include <gazebo_msgs/ModelStates.h>
#include <ros/names.h>
#include <sensor_msgs/JointState.h>
#include <tf2_msgs/TFMessage.h>

#include <cmath>
#include <utility>

#include "gazebo_batch_state/ros_values.hpp"
#include "gazebo_batch_state/services.hpp"

namespace gazebo_batch_state {
namespace {

using gazebo_batch_state_msgs::StampedStates;
using gazebo_batch_state_msgs::VisualStates;
using View = BatchWorld::View;

constexpr std::uint32_t kQueue = 10;
constexpr const char* kWorldFrame = "world";
constexpr double kDefaultRate = 100.0;  // messages per second of simulated time
constexpr const char* kJointRate = "joint_states";

template <class Message>
Message StatesOf(const View& view, Table table) {
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

StampedStates StampedStatesOf(const View& view, Table table) {
  auto message = StatesOf<StampedStates>(view, table);
  message.header.stamp = TimeOf(view.Now());
  message.header.frame_id = kWorldFrame;
  return message;
}

VisualStates VisualsOf(const View& view) {
  const auto& names = view.Index().Names(Table::kVisuals).Names();
  VisualStates message;
  message.header.stamp = TimeOf(view.Now());
  message.visuals.resize(names.size());
  for (std::size_t row = 0; row < names.size(); ++row) {
    message.visuals[row].name = names[row];
    FillLooks(view, static_cast<Row>(row), message.visuals[row]);
  }
  return message;
}

/// The joints whose names begin with a prefix, by the rest of their names.
sensor_msgs::JointState JointsOf(const View& view, const std::string& prefix) {
  constexpr const Columns& kColumns = Layout(Table::kJoints);
  const auto& names = view.Index().Names(Table::kJoints).Names();
  std::vector<double> numbers(names.size() * kColumns.width);
  view.Read(Table::kJoints, numbers.data());
  sensor_msgs::JointState message;
  message.header.stamp = TimeOf(view.Now());
  for (std::size_t row = 0; row < names.size(); ++row) {
    if (names[row].compare(0, prefix.size(), prefix) == 0) {
      const double* cells = numbers.data() + row * kColumns.width;
      message.name.push_back(names[row].substr(prefix.size()));
      message.position.push_back(cells[kColumns.column[kPosition].offset]);
      message.velocity.push_back(cells[kColumns.column[kVelocity].offset]);
      message.effort.push_back(cells[kColumns.column[kEffort].offset]);
    }
  }
  return message;
}

tf2_msgs::TFMessage TransformsOf(const View& view, Table table) {
  const auto& names = view.Index().Names(table).Names();
  tf2_msgs::TFMessage message;
  message.transforms.resize(names.size());
  for (Row row = 0; row < names.size(); ++row) {
    const geometry_msgs::Pose pose = ToRos(view.StateOf(table, row).pose);
    auto& transform = message.transforms[row];
    transform.header.stamp = TimeOf(view.Now());
    transform.header.frame_id = kWorldFrame;
    transform.child_frame_id = names[row];
    transform.transform.translation.x = pose.position.x;
    transform.transform.translation.y = pose.position.y;
    transform.transform.translation.z = pose.position.z;
    transform.transform.rotation = pose.orientation;
  }
  return message;
}

}  // namespace

StateTopics::StateTopics(const ros::NodeHandle& node) : node_(node) {
  using gazebo_msgs::LinkStates;
  using gazebo_msgs::ModelStates;
  Add<ModelStates>("model_states", "model_states",
                   [](const View& view) { return StatesOf<ModelStates>(view, Table::kModels); });
  Add<LinkStates>("link_states", "link_states",
                  [](const View& view) { return StatesOf<LinkStates>(view, Table::kLinks); });
  Add<StampedStates>("stamped_model_states", "stamped_model_states",
                     [](const View& view) { return StampedStatesOf(view, Table::kModels); });
  Add<StampedStates>("stamped_link_states", "stamped_link_states",
                     [](const View& view) { return StampedStatesOf(view, Table::kLinks); });
  Add<VisualStates>("visual_states", "visual_states", VisualsOf);
  Add<sensor_msgs::JointState>("joint_states", kJointRate,
                               [](const View& view) { return JointsOf(view, {}); });
  AddRobots();
  AddTransforms();
}

template <class Message>
void StateTopics::Add(const std::string& topic, const std::string& rate,
                      std::function<Message(const View&)> build) {
  const std::string parameter = "rates/" + rate;
  double chosen = node_.param(parameter, node_.param("publish_rate", kDefaultRate));
  if (chosen == 0.0) {
    return;
  }
  if (!(chosen > 0.0 && std::isfinite(chosen))) {
    ROS_WARN_STREAM(node_.resolveName(parameter)
                    << " must be >= 0 Hz, got " << chosen << ": taking " << kDefaultRate);
    chosen = kDefaultRate;
  }
  topics_.push_back({node_.advertise<Message>(topic, kQueue), RateLimit(chosen),
                     [build = std::move(build)](const View& view, const ros::Publisher& publisher) {
                       publisher.publish(build(view));
                     }});
}

void StateTopics::AddRobots() {
  for (const std::string& robot : node_.param("robots", std::vector<std::string>{})) {
    std::string reason;
    const std::string topic = "/" + robot + "/joint_states";
    if (!ros::names::validate(topic, reason)) {
      ROS_WARN_STREAM(node_.resolveName("robots")
                      << ": no joint_states of '" << robot << "': " << reason);
      continue;
    }
    Add<sensor_msgs::JointState>(topic, kJointRate, [prefix = robot + "::"](const View& view) {
      return JointsOf(view, prefix);
    });
  }
}

void StateTopics::AddTransforms() {
  const auto kind = node_.param("tf", std::string());
  if (kind == "models" || kind == "links") {
    const Table table = kind == "models" ? Table::kModels : Table::kLinks;
    Add<tf2_msgs::TFMessage>("/tf", "tf",
                             [table](const View& view) { return TransformsOf(view, table); });
  } else if (!kind.empty()) {
    ROS_WARN_STREAM(node_.resolveName("tf")
                    << " must be 'models' or 'links', got '" << kind << "': publishing no /tf");
  }
}

void StateTopics::Publish(const BatchWorld::View& view) {
  for (Topic& topic : topics_) {
    if (topic.limit.IsDue(view.Now()) && topic.publisher.getNumSubscribers() > 0) {
      topic.publish(view, topic.publisher);
    }
  }
}

}  // namespace gazebo_batch_state
