// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/joint_command.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gazebo_batch_state {
namespace {

JointCommand Command() {
  JointCommand command;
  command.target_position = 0.7;
  command.target_velocity = 0.3;
  command.feedforward = 0.5;
  command.stiffness = 20.0;
  command.damping = 2.0;
  return command;
}

TEST(JointCommand, NumbersAreInTheOrderOfTheColumns) {
  JointCommand command;
  for (std::size_t column = 0; column < kCommandColumns; ++column) {
    command.At(column) = static_cast<double>(column);
  }
  EXPECT_EQ(command.target_position, 0.0);
  EXPECT_EQ(command.target_velocity, 1.0);
  EXPECT_EQ(command.feedforward, 2.0);
  EXPECT_EQ(command.stiffness, 3.0);
  EXPECT_EQ(command.damping, 4.0);
  EXPECT_EQ(command.effort_limit, 5.0);
  EXPECT_EQ(command.velocity_limit, 6.0);
}

TEST(JointCommand, TargetsAloneExertNothing) {
  JointCommand command;
  EXPECT_TRUE(command.IsPassive());
  command.target_position = 1.0;
  command.target_velocity = 1.0;
  EXPECT_TRUE(command.IsPassive());
  command.damping = 1.0;
  EXPECT_FALSE(command.IsPassive());
}

TEST(Evaluate, TheEffortIsTheLaw) {
  const JointDrive drive = Evaluate(Command(), 0.7, 0.4, -1.0);
  EXPECT_DOUBLE_EQ(drive.effort, 20.0 * 0.3 + 2.0 * 1.3 + 0.5);
}

TEST(Evaluate, WhatBrakesIsLeftToTheEngine) {
  const JointDrive drive = Evaluate(Command(), 0.7, 0.4, -1.0);
  EXPECT_DOUBLE_EQ(drive.force - drive.damper * -1.0, drive.effort);
  EXPECT_EQ(drive.damper, 2.0);
}

TEST(Evaluate, WithoutDampingTheEffortIsClampedHere) {
  JointCommand command = Command();
  command.effort_limit = 4.0;
  command.damping = 0.0;
  for (const double target : {-10.0, 10.0}) {
    const JointDrive drive = Evaluate(command, target, 0.4, 0.0);
    EXPECT_EQ(drive.effort, std::copysign(4.0, target));
    EXPECT_EQ(drive.force, drive.effort);
    EXPECT_EQ(drive.damper, 0.0);
    EXPECT_FALSE(drive.IsLimited());
  }
}

TEST(Evaluate, WithDampingTheLimitIsLeftToTheEngineToo) {
  JointCommand command = Command();
  EXPECT_FALSE(Evaluate(command, 0.7, 0.4, 10.0).IsLimited());
  command.effort_limit = 4.0;
  for (const double velocity : {-10.0, 10.0}) {
    const JointDrive drive = Evaluate(command, 0.7, 0.4, velocity);
    EXPECT_EQ(drive.effort, std::copysign(4.0, -velocity));
    EXPECT_DOUBLE_EQ(drive.force, 20.0 * 0.3 + 2.0 * 0.3 + 0.5);
    EXPECT_EQ(drive.damper, 2.0);
    EXPECT_EQ(drive.limit, 4.0);
  }
}

TEST(Evaluate, ALimitOfZeroLeavesNothing) {
  JointCommand command = Command();
  command.effort_limit = 0.0;
  const JointDrive drive = Evaluate(command, 0.7, 0.4, 1.0);
  EXPECT_EQ(drive.force, 0.0);
  EXPECT_EQ(drive.damper, 0.0);
}

TEST(Evaluate, TheTargetVelocityKeepsToItsLimit) {
  JointCommand command = Command();
  command.velocity_limit = 0.1;
  EXPECT_DOUBLE_EQ(Evaluate(command, 0.7, 0.7, 0.0).effort, 2.0 * 0.1 + 0.5);
}

TEST(Follow, WithoutALimitItIsAtTheTargetAtOnce) {
  EXPECT_EQ(Follow(Command(), -100.0, 0.001), 0.7);
}

TEST(Follow, ItMovesNoFasterThanTheLimit) {
  JointCommand command = Command();
  command.velocity_limit = 2.0;
  EXPECT_DOUBLE_EQ(Follow(command, 0.0, 0.001), 0.002);
  EXPECT_DOUBLE_EQ(Follow(command, 1.0, 0.001), 0.998);
  EXPECT_DOUBLE_EQ(Follow(command, 0.6995, 0.001), 0.7);
}

}  // namespace
}  // namespace gazebo_batch_state
