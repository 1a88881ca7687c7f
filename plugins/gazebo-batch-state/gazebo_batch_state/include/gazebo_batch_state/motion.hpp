// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "gazebo_batch_state/entity_index.hpp"
#include "gazebo_batch_state/rigid_motion.hpp"

namespace gazebo_batch_state {

/// Reads and writes where models and links are and how they move, row by row.
///
/// World frame; a twist is that of the frame's origin, where Gazebo itself sets that of the centre
/// of mass. The caller sees to it that no physics step is in progress.
///
/// A pose alone leaves the twist as it was. What is joined to a model's root link or to a link goes
/// along: its place and its motion relative to that stay as they are, so joints keep their rates.
/// The twist of a model without joints that can move acts on all its links as on one rigid body. A
/// link that a joint holds has neither pose nor twist of its own: both are refused.
class Motion {
 public:
  explicit Motion(const EntityIndex& index) : index_(index) {}

  State Link(Row row) const;
  State Model(Row row) const;

  /// Each returns why the row was refused, or nothing.
  Reason SetLinkPose(Row row, const Pose3d& pose) const;
  Reason SetLinkTwist(Row row, const Twist& twist) const;
  Reason SetModelPose(Row row, const Pose3d& pose) const;
  Reason SetModelTwist(Row row, const Twist& twist) const;

  /// The turn of a ball joint from where it is described, and the angular velocity of its child
  /// against its parent, along the axes of the child [rad, rad/s].
  Vector3d BallTurn(const JointEntity& entity) const;
  Vector3d BallRate(const JointEntity& entity) const;

  /// The rate of an axis that turns or slides, not of a ball joint [rad/s or m/s].
  double AxisRate(const JointEntity& entity, unsigned int axis) const;

  /// Turns or slides a joint [rad or m]; the rates of all joints stay.
  Reason ShiftJoint(Row row, double by) const;

  /// Sets the rate of a joint [rad/s or m/s]; the rates of all others stay.
  Reason SetJointRate(Row row, double rate) const;

 private:
  std::vector<State> States(const std::vector<Row>& links) const;
  using Rates = std::array<double, 2>;  // of the axes of a joint
  Rates RatesOf(const JointEntity& entity) const;
  void MoveJoint(const JointEntity& entity, double by, const Rates& rates) const;

  void MoveBall(const JointEntity& entity, const Vector3d& turn, const Vector3d& rate) const;
  void TakeAlong(const std::vector<Row>& rows, const std::vector<State>& states,
                 const State& before, const State& after, bool moves) const;
  State ParentOf(const JointEntity& entity) const;

  const EntityIndex& index_;
};

}  // namespace gazebo_batch_state
