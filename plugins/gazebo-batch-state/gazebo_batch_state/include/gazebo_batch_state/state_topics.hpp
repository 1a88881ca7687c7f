// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/node_handle.h>
#include <ros/publisher.h>

#include <functional>
#include <string>
#include <vector>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// Decides at the end of each step whether a topic is due, by simulated time.
class RateLimit {
 public:
  /// \param rate messages per second of simulated time, > 0
  explicit RateLimit(double rate) : period_(1.0 / rate) {}

  /// Whether a period has passed since this was true for the last time, or time went back.
  bool IsDue(const Instant& now) {
    const double time = now.seconds + 1e-9 * now.nanoseconds;
    // Half a step of room, or rounding would make every other message late by a step.
    const bool due = time < last_ || time - last_ >= period_ - 0.5 * now.timestep;
    last_ = due ? time : last_;
    return due;
  }

 private:
  double period_;       // [s]
  double last_ = -1e9;  // simulated time [s]
};

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
