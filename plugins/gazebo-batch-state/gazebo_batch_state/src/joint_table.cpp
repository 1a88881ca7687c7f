// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/joint_table.hpp"

#include <algorithm>
#include <cmath>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/ode/ODEJoint.hh>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <utility>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

constexpr double kTurn = 2.0 * M_PI;
constexpr double kNoLimit = -1.0;  // Gazebo's
constexpr std::uint8_t kStiffness = 6;
constexpr double kMimicImpulse = 1e7;  // [N m s/rad or N s/m]: half the error goes in each step

std::uint64_t KeyOf(const JointEntity& entity) {
  return std::uint64_t{entity.joint->GetId()} * 3U + entity.axis;
}

double LimitOf(double gazebos) {
  return gazebos < 0.0 ? std::numeric_limits<double>::infinity() : gazebos;
}

/// Has ODE solve spring and damper of a joint for the state after the step.
void SolveImplicitly(const physics::JointPtr& joint) {
  const auto odes = boost::dynamic_pointer_cast<physics::ODEJoint>(joint);
  if (odes) {
    odes->UseImplicitSpringDamper(true);
  }
}

double GazebosLimit(double limit) { return std::isinf(limit) ? kNoLimit : limit; }

}  // namespace

void JointTable::Follow() {
  std::unordered_map<std::uint64_t, Axis> old;
  for (Axis& axis : axes_) {
    old.emplace(axis.key, std::move(axis));
  }
  axes_.clear();
  driven_ = 0;
  followers_.clear();
  for (const JointEntity& entity : index_.Joints()) {
    if (entity.mimic) {
      followers_.push_back(static_cast<Row>(axes_.size()));
      SolveImplicitly(entity.joint);
    }
    const auto known = old.find(KeyOf(entity));
    if (known != old.end()) {
      driven_ += known->second.driven ? 1 : 0;
      axes_.push_back(std::move(known->second));
      old.erase(known);
      continue;
    }
    Axis& axis = axes_.emplace_back();
    axis.key = KeyOf(entity);
    axis.described.effort_limit = LimitOf(kNoLimit);
    axis.described.velocity_limit = LimitOf(kNoLimit);
    if (!entity.is_ball) {  // of which Gazebo knows no axes
      axis.described.effort_limit = LimitOf(entity.joint->GetEffortLimit(entity.axis));
      axis.described.velocity_limit = LimitOf(entity.joint->GetVelocityLimit(entity.axis));
      axis.described_damping = entity.joint->GetDamping(entity.axis);
      axis.own_damping = axis.described_damping;
    }
    axis.command = axis.described;
  }
}

void JointTable::Read(double* numbers) const {
  for (Row row = 0; row < axes_.size(); ++row) {
    const Axis& axis = axes_[row];
    *numbers++ = Position(row) + 0.0;  // no -0
    *numbers++ = Velocity(row) + 0.0;
    *numbers++ = axis.effort;
    for (std::size_t column = 0; column < kCommandColumns; ++column) {
      *numbers++ = axis.command.At(column);
    }
  }
}

Reason JointTable::Write(Row row, std::uint8_t column, double value) {
  Axis& axis = axes_[row];
  if (column == kPosition) {
    Reason reason = motion_.ShiftJoint(row, value - Position(row));
    if (reason.empty()) {
      CountTurns(row, value);
      axis.followed = value;  // the target is followed from where the axis is put
      for (const Row follower : FollowersOf(row)) {
        const Mimicry& mimic = *index_.Joints()[follower].mimic;
        Write(follower, column, mimic.multiplier * value + mimic.offset);
      }
    }
    return reason;
  }
  if (column == kVelocity) {
    Reason reason = motion_.SetJointRate(row, value);
    for (const Row follower : FollowersOf(row)) {
      motion_.SetJointRate(follower, index_.Joints()[follower].mimic->multiplier * value);
    }
    return reason;
  }
  if (column == kStiffness && axis.command.stiffness == 0.0) {
    axis.followed = Position(row);  // or from where it gets stiff
  }
  axis.command.At(column - kFirstCommand) = value;
  if (!axis.driven && !axis.command.IsPassive()) {
    Engage(row);
  }
  return {};
}

void JointTable::Drive(double dt) {
  for (const Row follower : followers_) {
    Hold(follower, dt);
  }
  for (Row row = 0; driven_ > 0 && row < axes_.size(); ++row) {
    Axis& axis = axes_[row];
    if (!axis.driven) {
      continue;
    }
    const JointEntity& entity = index_.Joints()[row];
    axis.followed = gazebo_batch_state::Follow(axis.command, axis.followed, dt);
    const JointDrive drive = Evaluate(axis.command, axis.followed, Position(row), Velocity(row));
    axis.drive = drive;
    axis.effort = drive.effort;
    if (entity.is_ball) {
      axis.drive.damper = 0.0;
      Push(entity, drive.effort);
      continue;
    }
    if (entity.mimic) {  // its spring takes up the damper
      axis.drive.damper = 0.0;
      entity.joint->SetForce(entity.axis, drive.effort);
      continue;
    }
    Exert(row, drive);
  }
}

void JointTable::Exert(Row row, const JointDrive& drive) {
  Axis& axis = axes_[row];
  const JointEntity& entity = index_.Joints()[row];
  if (drive.IsLimited()) {
    SetDamper(row, 0.0);
    if (!axis.motor) {
      axis.motor = std::make_unique<ServoMotor>(entity);
    }
    axis.motor->Drive(drive);
    return;
  }
  if (axis.motor) {
    axis.motor->Rest();
  }
  SetDamper(row, drive.damper);  // Gazebo leaves it out where a joint runs into a limit
  if (drive.force != 0.0) {
    entity.joint->SetForce(entity.axis, drive.force);
  }
}

void JointTable::EndStep() {
  for (Row row = 0; driven_ > 0 && row < axes_.size(); ++row) {
    Axis& axis = axes_[row];
    if (axis.driven && axis.drive.damper != 0.0 && axis.drive.IsLimited()) {
      axis.effort = axis.motor->Effort() + 0.0;  // no -0
    } else if (axis.driven && axis.drive.damper != 0.0) {
      axis.effort = axis.drive.force - axis.drive.damper * Velocity(row);
    }
  }
}

std::vector<Row> JointTable::FollowersOf(Row leader) const {
  std::vector<Row> rows;
  std::copy_if(followers_.begin(), followers_.end(), std::back_inserter(rows),
               [this, leader](Row row) { return index_.Joints()[row].mimic->leader == leader; });
  return rows;
}

/// Puts the end of a follower's spring to where the leader will be after two steps: as half the
/// way there goes in each step, the follower then keeps up with a leader of steady speed.
void JointTable::Hold(Row follower, double dt) {
  const JointEntity& entity = index_.Joints()[follower];
  const Mimicry& mimic = *entity.mimic;
  const JointEntity& leader = index_.Joints()[mimic.leader];
  const double ahead = Position(mimic.leader) + 2.0 * dt * motion_.AxisRate(leader, leader.axis);
  entity.joint->SetStiffnessDamping(
      entity.axis, kMimicImpulse / dt, kMimicImpulse,
      mimic.multiplier * ahead + mimic.offset - axes_[follower].turns);
}

void JointTable::Reset() {
  for (Row row = 0; row < axes_.size(); ++row) {
    Axis& axis = axes_[row];
    if (axis.driven) {
      Release(row);
    }
    axis.command = axis.described;
    axis.followed = 0.0;
    axis.effort = 0.0;
    CountTurns(row, 0.0);
  }
}

/// Turns the child of a ball joint about one of its axes, and its parent the other way.
void JointTable::Push(const JointEntity& entity, double effort) const {
  const auto& child = index_.Links()[entity.child].link;
  Vector3d torque;
  torque[entity.axis] = effort;
  torque = child->WorldPose().Rot().RotateVector(torque);
  child->AddTorque(torque);
  if (entity.parent) {
    index_.Links()[*entity.parent].link->AddTorque(-torque);
  }
}

double JointTable::Velocity(Row row) const {
  const JointEntity& entity = index_.Joints()[row];
  return entity.is_ball ? motion_.BallRate(entity)[entity.axis]
                        : motion_.AxisRate(entity, entity.axis);
}

double JointTable::Position(Row row) const {
  const JointEntity& entity = index_.Joints()[row];
  if (entity.is_ball) {
    return motion_.BallTurn(entity)[entity.axis];
  }
  return entity.joint->Position(entity.axis) + axes_[row].turns;
}

/// Takes a position for the present one, but for what is less than half a turn.
void JointTable::CountTurns(Row row, double position) {
  const JointEntity& entity = index_.Joints()[row];
  if (!entity.slides && !entity.is_ball) {
    const double left = position - entity.joint->Position(entity.axis);
    axes_[row].turns = kTurn * std::round(left / kTurn);
  }
}

void JointTable::Engage(Row row) {
  const JointEntity& entity = index_.Joints()[row];
  if (!entity.is_ball) {
    SolveImplicitly(entity.joint);
    entity.joint->SetEffortLimit(entity.axis, kNoLimit);
    entity.joint->SetVelocityLimit(entity.axis, kNoLimit);
  }
  axes_[row].driven = true;
  ++driven_;
}

void JointTable::Release(Row row) {
  const JointEntity& entity = index_.Joints()[row];
  Axis& axis = axes_[row];
  if (!entity.mimic && !entity.is_ball) {
    SetDamper(row, 0.0);
  }
  axis.motor.reset();
  if (!entity.is_ball) {
    entity.joint->SetEffortLimit(entity.axis, GazebosLimit(axis.described.effort_limit));
    entity.joint->SetVelocityLimit(entity.axis, GazebosLimit(axis.described.velocity_limit));
  }
  axis.drive = {};
  axis.driven = false;
  --driven_;
}

void JointTable::SetDamper(Row row, double damper) {
  Axis& axis = axes_[row];
  if (axis.damper != damper) {
    axis.damper = damper;
    SetDamping(row);
  }
}

void JointTable::ScaleDamping(Row row, double factor) {
  Axis& axis = axes_[row];
  const double damping = factor * axis.described_damping;
  const JointEntity& entity = index_.Joints()[row];
  const bool has_own = !entity.mimic && !entity.is_ball;  // its spring damps a follower
  if (axis.own_damping != damping && has_own) {
    axis.own_damping = damping;
    SetDamping(row);
  }
}

void JointTable::SetDamping(Row row) const {
  const JointEntity& entity = index_.Joints()[row];
  const Axis& axis = axes_[row];
  entity.joint->SetStiffnessDamping(entity.axis, entity.joint->GetStiffness(entity.axis),
                                    axis.own_damping + axis.damper,
                                    entity.joint->GetSpringReferencePosition(entity.axis));
}

}  // namespace gazebo_batch_state
