// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <geometry_msgs/Pose.h>
#include <geometry_msgs/Twist.h>
#include <ros/time.h>
#include <std_msgs/ColorRGBA.h>

#include <algorithm>
#include <array>

#include "gazebo_batch_state/instant.hpp"
#include "gazebo_batch_state/pose_cell.hpp"
#include "gazebo_batch_state/rigid_motion.hpp"

namespace gazebo_batch_state {

inline geometry_msgs::Pose ToRos(const Pose3d& pose) {
  geometry_msgs::Pose message;
  message.position.x = pose.Pos().X();
  message.position.y = pose.Pos().Y();
  message.position.z = pose.Pos().Z();
  message.orientation.x = pose.Rot().X();
  message.orientation.y = pose.Rot().Y();
  message.orientation.z = pose.Rot().Z();
  message.orientation.w = pose.Rot().W();
  return message;
}

inline geometry_msgs::Twist ToRos(const Twist& twist) {
  geometry_msgs::Twist message;
  message.linear.x = twist.linear.X();
  message.linear.y = twist.linear.Y();
  message.linear.z = twist.linear.Z();
  message.angular.x = twist.angular.X();
  message.angular.y = twist.angular.Y();
  message.angular.z = twist.angular.Z();
  return message;
}

/// Seven numbers of a row.
inline void CopyPose(const geometry_msgs::Pose& pose, double* cell) {
  const auto& [x, y, z, w] = pose.orientation;
  const std::array<double, 7> numbers = {
      pose.position.x, pose.position.y, pose.position.z, x, y, z, w};
  std::copy(numbers.begin(), numbers.end(), cell);
}

inline Vector3d FromRos(const geometry_msgs::Vector3& v) { return {v.x, v.y, v.z}; }

inline Twist FromRos(const geometry_msgs::Twist& twist) {
  return {FromRos(twist.linear), FromRos(twist.angular)};
}

inline ros::Time TimeOf(const Instant& instant) { return {instant.seconds, instant.nanoseconds}; }

inline std_msgs::ColorRGBA ColorOf(const double* cell) {
  std_msgs::ColorRGBA color;
  color.r = static_cast<float>(cell[0]);
  color.g = static_cast<float>(cell[1]);
  color.b = static_cast<float>(cell[2]);
  color.a = static_cast<float>(cell[3]);
  return color;
}

/// Four numbers of a row.
inline void CopyColor(const std_msgs::ColorRGBA& color, double* cell) {
  const std::array<double, 4> numbers = {color.r, color.g, color.b, color.a};
  std::copy(numbers.begin(), numbers.end(), cell);
}

}  // namespace gazebo_batch_state
