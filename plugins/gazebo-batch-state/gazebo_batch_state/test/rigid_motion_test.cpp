// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/rigid_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gazebo_batch_state {
namespace {

void ExpectNear(const Vector3d& a, const Vector3d& b) {
  EXPECT_NEAR(a.Distance(b), 0.0, 1e-12) << a << " is not " << b;
}

void ExpectNear(const Pose3d& a, const Pose3d& b) {
  ExpectNear(a.Pos(), b.Pos());
  EXPECT_NEAR(std::abs(a.Rot().Dot(b.Rot())), 1.0, 1e-12);
}

void ExpectNear(const State& a, const State& b) {
  ExpectNear(a.pose, b.pose);
  ExpectNear(a.twist.linear, b.twist.linear);
  ExpectNear(a.twist.angular, b.twist.angular);
}

const Quaterniond kQuarterTurn(0, 0, M_PI / 2);  // about z
const State kSome = {{{1, -2, 3}, {0.3, -0.4, 1.2}}, {{0.5, 1, -2}, {0.1, -0.2, 0.7}}};
const State kOther = {{{-4, 0, 1}, {-1.3, 0.4, 0.2}}, {{2, -1, 0}, {-0.3, 0.6, 0.1}}};
const State kThird = {{{0, 7, -1}, {0.9, 0.1, -2.2}}, {{-1, 0, 4}, {0.8, 0, -0.4}}};

TEST(Compose, ByHand) {
  const Pose3d pose = Compose({{1, 2, 3}, kQuarterTurn}, {{10, 0, 0}, Quaterniond::Identity});
  ExpectNear(pose, {{1, 12, 3}, kQuarterTurn});
}

TEST(Inverse, Undoes) {
  ExpectNear(Compose(kSome.pose, Inverse(kSome.pose)), Pose3d::Zero);
  ExpectNear(Compose(Inverse(kSome.pose), kSome.pose), Pose3d::Zero);
}

TEST(At, APointOfASpinningBodyGoesInACircle) {
  const Twist twist = At({{1, 0, 0}, {0, 0, 2}}, {0, 3, 0});
  ExpectNear(twist.linear, {-5, 0, 0});
  ExpectNear(twist.angular, {0, 0, 2});
}

TEST(Frames, BackAndForth) { ExpectNear(ToWorld(kOther, FromWorld(kOther, kSome)), kSome); }

TEST(Frames, ByHand) {
  const State frame = {{{1, 0, 0}, kQuarterTurn}, {{0, 1, 0}, {0, 0, 1}}};
  const State seen = FromWorld(frame, {{{1, 2, 0}, kQuarterTurn}, {{0, 3, 0}, {0, 0, 1}}});
  ExpectNear(seen, {{{2, 0, 0}, Quaterniond::Identity}, {{2, 0, 0}, {0, 0, 0}}});
}

TEST(RotationVector, ThereAndBackIsNothing) {
  for (const Vector3d& vector :
       {Vector3d(0, 0, 0), Vector3d(1e-12, 0, 0), Vector3d(0.3, -0.7, 0.5), Vector3d(0, 3.1, 0)}) {
    ExpectNear(RotationVector(Rotation(vector)), vector);
    ExpectNear(RotationVector(-Rotation(vector)), vector);
  }
}

TEST(RotationVector, IsTheShorterWayRound) {
  ExpectNear(RotationVector(Rotation({0, 0, 2.0 * M_PI - 0.25})), {0, 0, -0.25});
  ExpectNear(Rotation({0, 0, M_PI / 2}).RotateVector({1, 0, 0}), {0, 1, 0});
}

TEST(Carry, WhatDoesNotMoveRelativeToItsCarrierGoesAlongRigidly) {
  State part = {Compose(kSome.pose, {{0.2, 0.1, -0.3}, kQuarterTurn}), {}};
  part.twist = At(kSome.twist, part.pose.Pos() - kSome.pose.Pos());
  const State moved = Carry(part, kSome, kOther);
  ExpectNear(Compose(Inverse(kOther.pose), moved.pose), Compose(Inverse(kSome.pose), part.pose));
  const Twist rigid = At(kOther.twist, moved.pose.Pos() - kOther.pose.Pos());
  ExpectNear(moved.twist.linear, rigid.linear);
  ExpectNear(moved.twist.angular, rigid.angular);
}

TEST(Carry, ASpinningWheelGoesOnSpinningAboutItsOwnAxle) {
  const State car = {Pose3d::Zero, {}};
  const State wheel = {{{1, 0, 0}, Quaterniond::Identity}, {{0, 0, 0}, {0, 5, 0}}};
  const State turned = {{{0, 0, 0}, kQuarterTurn}, {{0, 2, 0}, {0, 0, 0}}};
  ExpectNear(Carry(wheel, car, turned), {{{0, 1, 0}, kQuarterTurn}, {{0, 2, 0}, {-5, 0, 0}}});
}

TEST(Carry, ThereAndBackIsNothing) {
  ExpectNear(Carry(Carry(kThird, kSome, kOther), kOther, kSome), kThird);
}

}  // namespace
}  // namespace gazebo_batch_state
