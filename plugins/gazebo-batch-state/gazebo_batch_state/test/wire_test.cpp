// SPDX-License-Identifier: Apache-2.0
#include <gazebo_msgs/GetModelState.h>
#include <gazebo_msgs/LinkState.h>
#include <gazebo_msgs/LinkStates.h>
#include <gazebo_msgs/ModelState.h>
#include <gazebo_msgs/ModelStates.h>
#include <gazebo_msgs/SetModelState.h>
#include <gtest/gtest.h>

/// What gazebo_msgs of ROS Noetic has published; our own gazebo_msgs must be the same on the wire.
namespace {

template <class Message>
std::string Sum() {
  return ros::message_traits::md5sum<Message>();
}

TEST(GazeboMessages, HaveThePublishedSums) {
  EXPECT_EQ(Sum<gazebo_msgs::ModelState>(), "9330fd35f2fcd82d457e54bd54e10593");
  EXPECT_EQ(Sum<gazebo_msgs::LinkState>(), "0818ebbf28ce3a08d48ab1eaa7309ebe");
  EXPECT_EQ(Sum<gazebo_msgs::ModelStates>(), "48c080191eb15c41858319b4d8a609c2");
  EXPECT_EQ(Sum<gazebo_msgs::LinkStates>(), "48c080191eb15c41858319b4d8a609c2");
  EXPECT_EQ(Sum<gazebo_msgs::GetModelStateRequest>(), "19d412713cefe4a67437e17a951e759e");
  EXPECT_EQ(Sum<gazebo_msgs::GetModelStateResponse>(), "ccd51739bb00f0141629e87b792e92b9");
  EXPECT_EQ(Sum<gazebo_msgs::SetModelStateRequest>(), "cb042b0e91880f4661b29ea5b6234350");
  EXPECT_EQ(Sum<gazebo_msgs::SetModelStateResponse>(), "2ec6f3eff0161f4257b808b12bc830c2");
}

}  // namespace
