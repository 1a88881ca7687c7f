// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/node_handle.h>
#include <ros/publisher.h>

#include <functional>
#include <string>
#include <vector>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/rate_limit.hpp"

namespace gazebo_batch_state {

/// The states of a world as topics, each at a rate of its own; costs nothing while nobody
/// subscribes. Which there are, and the parameters, is in README.md.
class StateTopics {
 public:
  /// Reads the parameters and advertises.
  explicit StateTopics(const ros::NodeHandle& node);

  /// Publishes what is due; called at the end of each step.
  void Publish(const BatchWorld::View& view);

 private:
  struct Topic {
    ros::Publisher publisher;
    RateLimit limit;
    std::function<void(const BatchWorld::View&, const ros::Publisher&)> publish;
  };

  /// \param build makes the message of an instant
  /// \param rate the name of the parameter with its rate, below `rates`
  template <class Message>
  void Add(const std::string& topic, const std::string& rate,
           std::function<Message(const BatchWorld::View&)> build);
  void AddTransforms();
  void AddRobots();

  ros::NodeHandle node_;
  std::vector<Topic> topics_;
};

}  // namespace gazebo_batch_state
