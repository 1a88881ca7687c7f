// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ignition/math/Pose3.hh>
#include <ignition/math/Quaternion.hh>
#include <ignition/math/Vector3.hh>

namespace gazebo_batch_state {

using ignition::math::Pose3d;
using ignition::math::Quaterniond;
using ignition::math::Vector3d;

/// Velocity of a frame's origin [m/s] and angular velocity [rad/s], along the axes of the world.
struct Twist {
  Vector3d linear;
  Vector3d angular;
};

/// Where a frame is and how it moves, in the world frame.
struct State {
  Pose3d pose;
  Twist twist;
};

/// The pose b, given in the frame a, in the frame that a is given in.
Pose3d Compose(const Pose3d& a, const Pose3d& b);

/// The pose that undoes another one.
Pose3d Inverse(const Pose3d& pose);

/// The twist of another point of the same rigid body.
///
/// \param arm from the twist's origin to the point [m], world frame
Twist At(const Twist& twist, const Vector3d& arm);

/// The state of a part that is taken along when its carrier gets another state.
///
/// The part keeps its place in the carrier's frame, and how it moves in it: wheels go on turning.
State Carry(const State& part, const State& carrier_before, const State& carrier_after);

/// The axis of a rotation, as long as its angle, at most pi [rad]; and the other way round.
Vector3d RotationVector(const Quaterniond& rotation);
Quaterniond Rotation(const Vector3d& vector);

/// A state given in a frame, in the world, and the other way round.
///
/// As in gazebo_ros the twist in a frame is the difference of the two twists along the frame's
/// axes; the frame's own rotation does not enter.
State ToWorld(const State& frame, const State& state);
State FromWorld(const State& frame, const State& state);

}  // namespace gazebo_batch_state
