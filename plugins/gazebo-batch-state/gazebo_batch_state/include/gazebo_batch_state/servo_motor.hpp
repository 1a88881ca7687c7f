// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/ode/ode.h>

#include <boost/weak_ptr.hpp>

#include "gazebo_batch_state/entity_index.hpp"
#include "gazebo_batch_state/joint_command.hpp"

namespace gazebo_batch_state {

/// A motor of ODE's on one axis of a joint, which holds a servo with damping to its effort limit.
///
/// ODE solves effort = force - damper * (velocity after the step), clamped to the limit, together
/// with contacts, joints and all other motors. A motor of its own, beside the one that ODE's hinges
/// and slides have, acts at the limits of the joint's position and beside the joint's own damping.
///
/// Its links may be deleted before it. Not thread-safe; the caller sees to it that no step is in
/// progress.
class ServoMotor {
 public:
  /// Makes one that rests.
  ///
  /// \param entity an axis that turns or slides; not of a ball joint
  explicit ServoMotor(const JointEntity& entity);
  ServoMotor(const ServoMotor&) = delete;
  ServoMotor& operator=(const ServoMotor&) = delete;

  ~ServoMotor();

  /// Drives the axis in the step that begins.
  void Drive(const JointDrive& drive);

  /// Exerts nothing from now on.
  void Rest();

  /// The effort in the latest step [N m or N].
  double Effort() const;

 private:
  void Set(int parameter, double value);

  const gazebo::physics::JointPtr joint_;
  const boost::weak_ptr<gazebo::physics::PhysicsEngine> engine_;  // whose end frees the motor
  const unsigned int axis_;
  const bool slides_;
  dJointID motor_ = nullptr;
  dJointFeedback feedback_ = {};
  ignition::math::Vector3d direction_;  // of the axis in the latest step, world frame
  double limit_ = 0.0;
};

}  // namespace gazebo_batch_state
