// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/servo_motor.hpp"

#include <algorithm>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/World.hh>
#include <gazebo/physics/ode/ODELink.hh>
#include <gazebo/physics/ode/ODEPhysics.hh>
#include <mutex>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

/// The body of a link; nullptr stands for the world.
dBodyID BodyOf(const physics::LinkPtr& link) {
  const auto odes = boost::dynamic_pointer_cast<physics::ODELink>(link);
  return odes ? odes->GetODEId() : nullptr;
}

}  // namespace

ServoMotor::ServoMotor(const JointEntity& entity)
    : joint_(entity.joint),
      engine_(joint_->GetWorld()->Physics()),
      axis_(entity.axis),
      slides_(entity.slides) {
  const auto engine = boost::dynamic_pointer_cast<physics::ODEPhysics>(engine_.lock());
  auto* const world = engine->GetWorldId();
  if (slides_) {
    motor_ = dJointCreateLMotor(world, nullptr);
    dJointSetLMotorNumAxes(motor_, 1);
  } else {
    motor_ = dJointCreateAMotor(world, nullptr);
    dJointSetAMotorNumAxes(motor_, 1);
  }
  dJointAttach(motor_, BodyOf(joint_->GetChild()), BodyOf(joint_->GetParent()));
  dJointSetFeedback(motor_, &feedback_);
}

ServoMotor::~ServoMotor() {
  if (const auto engine = engine_.lock()) {
    const std::lock_guard<boost::recursive_mutex> lock(*engine->GetPhysicsUpdateMutex());
    dJointDestroy(motor_);
  }
}

void ServoMotor::Drive(const JointDrive& drive) {
  direction_ = joint_->GlobalAxis(axis_);
  const auto set_axis = slides_ ? dJointSetLMotorAxis : dJointSetAMotorAxis;
  constexpr int kInWorldFrame = 0;
  set_axis(motor_, 0, kInWorldFrame, direction_.X(), direction_.Y(), direction_.Z());
  // ODE solves: velocity + dParamCFM * effort = dParamVel.
  Set(dParamVel, drive.force / drive.damper);
  Set(dParamCFM, 1.0 / drive.damper);
  Set(dParamFMax, drive.limit);
  limit_ = drive.limit;
  for (const auto& link : {joint_->GetChild(), joint_->GetParent()}) {
    if (link) {
      link->SetEnabled(true);
    }
  }
}

void ServoMotor::Rest() { Set(dParamFMax, 0.0); }

double ServoMotor::Effort() const {
  const dReal* exerted = slides_ ? feedback_.f1 : feedback_.t1;
  const Vector3d vector(exerted[0], exerted[1], exerted[2]);
  return std::clamp(vector.Dot(direction_), -limit_, limit_);
}

void ServoMotor::Set(int parameter, double value) {
  const auto set = slides_ ? dJointSetLMotorParam : dJointSetAMotorParam;
  set(motor_, parameter, value);
}

}  // namespace gazebo_batch_state
