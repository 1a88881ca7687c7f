// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/rigid_motion.hpp"

#include <cmath>

namespace gazebo_batch_state {
namespace {

constexpr double kSmall = 1e-9;  // below this a sine is its angle

}  // namespace

Pose3d Compose(const Pose3d& a, const Pose3d& b) {
  return {a.Pos() + a.Rot().RotateVector(b.Pos()), a.Rot() * b.Rot()};
}

Pose3d Inverse(const Pose3d& pose) {
  const auto inverse = pose.Rot().Inverse();
  return {-inverse.RotateVector(pose.Pos()), inverse};
}

Twist At(const Twist& twist, const Vector3d& arm) {
  return {twist.linear + twist.angular.Cross(arm), twist.angular};
}

State Carry(const State& part, const State& carrier_before, const State& carrier_after) {
  const Pose3d relative = Compose(Inverse(carrier_before.pose), part.pose);
  const Pose3d pose = Compose(carrier_after.pose, relative);
  const Twist rigid_before = At(carrier_before.twist, part.pose.Pos() - carrier_before.pose.Pos());
  const Twist rigid_after = At(carrier_after.twist, pose.Pos() - carrier_after.pose.Pos());
  const auto turn = carrier_after.pose.Rot() * carrier_before.pose.Rot().Inverse();
  return {pose,
          {rigid_after.linear + turn.RotateVector(part.twist.linear - rigid_before.linear),
           rigid_after.angular + turn.RotateVector(part.twist.angular - rigid_before.angular)}};
}

Vector3d RotationVector(const Quaterniond& rotation) {
  const double sign = rotation.W() < 0.0 ? -1.0 : 1.0;  // the shorter way round
  const Vector3d part(rotation.X(), rotation.Y(), rotation.Z());
  const double sine = part.Length();
  const double factor = sine < kSmall ? 2.0 : 2.0 * std::atan2(sine, sign * rotation.W()) / sine;
  return sign * factor * part;
}

Quaterniond Rotation(const Vector3d& vector) {
  const double angle = vector.Length();
  const double factor = angle < kSmall ? 0.5 : std::sin(angle / 2.0) / angle;
  Quaterniond rotation(std::cos(angle / 2.0), factor * vector.X(), factor * vector.Y(),
                       factor * vector.Z());
  rotation.Normalize();
  return rotation;
}

State ToWorld(const State& frame, const State& state) {
  const auto& rotation = frame.pose.Rot();
  return {Compose(frame.pose, state.pose),
          {rotation.RotateVector(state.twist.linear) + frame.twist.linear,
           rotation.RotateVector(state.twist.angular) + frame.twist.angular}};
}

State FromWorld(const State& frame, const State& state) {
  const auto& rotation = frame.pose.Rot();
  return {Compose(Inverse(frame.pose), state.pose),
          {rotation.RotateVectorReverse(state.twist.linear - frame.twist.linear),
           rotation.RotateVectorReverse(state.twist.angular - frame.twist.angular)}};
}

}  // namespace gazebo_batch_state
