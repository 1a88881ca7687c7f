// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/motion.hpp"

#include <gazebo/physics/Inertial.hh>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;
constexpr const char* kNoVelocity = "it stays where it is put, so it has no velocity";

State StateOf(const physics::Link& link) {
  return {link.WorldPose(), {link.WorldLinearVel(Vector3d::Zero), link.WorldAngularVel()}};
}

bool IsRest(const Twist& twist) {
  return twist.linear == Vector3d::Zero && twist.angular == Vector3d::Zero;
}

/// Sets the velocity of the frame's origin; Gazebo's setter means that of the centre of mass.
void SetTwist(physics::Link& link, const Twist& twist) {
  const Vector3d arm = link.WorldPose().Rot().RotateVector(link.GetInertial()->CoG());
  link.SetEnabled(true);
  link.SetLinearVel(At(twist, arm).linear);
  link.SetAngularVel(twist.angular);
}

}  // namespace

std::vector<State> Motion::States(const std::vector<Row>& links) const {
  std::vector<State> states;
  states.reserve(links.size());
  for (const Row row : links) {
    states.push_back(Link(row));
  }
  return states;
}

State Motion::Link(Row row) const { return StateOf(*index_.Links()[row].link); }

State Motion::Model(Row row) const {
  const ModelEntity& entity = index_.Models()[row];
  if (!entity.root) {
    return {entity.model->WorldPose(), {}};
  }
  const State root = Link(*entity.root);
  const Pose3d pose = entity.tracked ? entity.model->WorldPose() : Compose(root.pose, entity.frame);
  return {pose, At(root.twist, pose.Pos() - root.pose.Pos())};
}

Reason Motion::SetLinkPose(Row row, const Pose3d& pose) const {
  const LinkEntity& entity = index_.Links()[row];
  if (!entity.held.empty()) {
    return entity.held + ": set its model as a whole";
  }
  const State before = Link(row);
  const State after = {pose, before.twist};
  const auto carried = States(entity.carried);
  entity.link->SetWorldPose(pose);
  if (entity.is_static) {
    return {};
  }
  SetTwist(*entity.link, after.twist);
  for (std::size_t number = 0; number < carried.size(); ++number) {
    physics::Link& link = *index_.Links()[entity.carried[number]].link;
    const State moved = Carry(carried[number], before, after);
    link.SetWorldPose(moved.pose);
    SetTwist(link, moved.twist);
  }
  return {};
}

Reason Motion::SetLinkTwist(Row row, const Twist& twist) const {
  const LinkEntity& entity = index_.Links()[row];
  if (entity.is_static) {
    return IsRest(twist) ? Reason() : kNoVelocity;
  }
  if (!entity.held.empty()) {
    return entity.held + ": set its model as a whole, or the joint";
  }
  const State before = Link(row);
  const State after = {before.pose, twist};
  const auto carried = States(entity.carried);
  SetTwist(*entity.link, twist);
  for (std::size_t number = 0; number < carried.size(); ++number) {
    SetTwist(*index_.Links()[entity.carried[number]].link,
             Carry(carried[number], before, after).twist);
  }
  return {};
}

Reason Motion::SetModelPose(Row row, const Pose3d& pose) const {
  const ModelEntity& entity = index_.Models()[row];
  if (!entity.held.empty()) {
    return entity.held + ": it cannot be moved alone";
  }
  const State before = Model(row);
  const State after = {pose, before.twist};
  const auto links = States(entity.links);
  if (entity.tracked) {
    entity.model->SetWorldPose(pose);
  }
  if (entity.is_static) {
    return {};
  }
  for (std::size_t number = 0; number < links.size(); ++number) {
    physics::Link& link = *index_.Links()[entity.links[number]].link;
    const State moved = Carry(links[number], before, after);
    if (!entity.tracked) {
      link.SetWorldPose(moved.pose);
    }
    SetTwist(link, moved.twist);
  }
  return {};
}

Reason Motion::SetModelTwist(Row row, const Twist& twist) const {
  const ModelEntity& entity = index_.Models()[row];
  if (!entity.root || entity.is_static) {
    return IsRest(twist) ? Reason() : kNoVelocity;
  }
  if (!entity.held.empty()) {
    return IsRest(twist) ? Reason() : entity.held + ": it cannot move";
  }
  const Vector3d origin = Model(row).pose.Pos();
  std::vector<Twist> twists;
  twists.reserve(entity.links.size());
  for (const Row number : entity.links) {
    const LinkEntity& part = index_.Links()[number];
    const State link = Link(number);
    if (!entity.flexible) {
      twists.push_back(At(twist, link.pose.Pos() - origin));
      continue;
    }
    const State top = Link(part.top.value_or(*entity.root));
    const State after = {top.pose, At(twist, top.pose.Pos() - origin)};
    twists.push_back(Carry(link, top, after).twist);  // joints keep their rates
  }
  for (std::size_t number = 0; number < twists.size(); ++number) {
    SetTwist(*index_.Links()[entity.links[number]].link, twists[number]);
  }
  return {};
}

Reason Motion::ShiftJoint(Row row, double by) const {
  const JointEntity& entity = index_.Joints()[row];
  if (entity.held.empty() && by != 0.0 && entity.is_ball) {
    Vector3d turn = BallTurn(entity);
    turn[entity.axis] += by;
    MoveBall(entity, turn, BallRate(entity));
  } else if (entity.held.empty() && by != 0.0) {
    MoveJoint(entity, by, RatesOf(entity));
  }
  return entity.held;
}

Reason Motion::SetJointRate(Row row, double rate) const {
  const JointEntity& entity = index_.Joints()[row];
  if (entity.held.empty() && entity.is_ball) {
    Vector3d rates = BallRate(entity);
    rates[entity.axis] = rate;
    MoveBall(entity, BallTurn(entity), rates);
  } else if (entity.held.empty()) {
    Rates rates = RatesOf(entity);
    rates.at(entity.axis) = rate;
    MoveJoint(entity, 0.0, rates);
  }
  return entity.held;
}

void Motion::MoveJoint(const JointEntity& entity, double by, const Rates& rates) const {
  const physics::Joint& joint = *entity.joint;
  const State before = Link(entity.child);
  const auto carried = States(entity.carried);
  physics::Link& child = *index_.Links()[entity.child].link;
  Pose3d pose = before.pose;
  const Vector3d anchor = entity.slides ? Vector3d::Zero : joint.Anchor(0);
  if (by != 0.0) {
    const Vector3d axis = joint.GlobalAxis(entity.axis);
    if (entity.slides) {
      pose.Pos() += by * axis;
    } else {
      const Quaterniond turn(axis, by);
      pose = {anchor + turn.RotateVector(pose.Pos() - anchor), turn * pose.Rot()};
    }
    child.SetWorldPose(pose);  // which turns a second axis
  }
  const State parent = ParentOf(entity);
  Twist twist = At(parent.twist, pose.Pos() - parent.pose.Pos());
  for (unsigned int axis = 0; axis < rates.size() && axis < joint.DOF(); ++axis) {
    const Vector3d rate = rates.at(axis) * joint.GlobalAxis(axis);
    if (entity.slides) {
      twist.linear += rate;
    } else {
      twist.angular += rate;
      twist.linear += rate.Cross(pose.Pos() - anchor);
    }
  }
  SetTwist(child, twist);
  TakeAlong(entity.carried, carried, before, {pose, twist}, by != 0.0);
}

void Motion::MoveBall(const JointEntity& entity, const Vector3d& turn, const Vector3d& rate) const {
  const State before = Link(entity.child);
  const auto carried = States(entity.carried);
  const State parent = ParentOf(entity);
  const Vector3d anchor = entity.joint->Anchor(0);
  const Quaterniond rotation = parent.pose.Rot() * entity.described * Rotation(turn);
  const Vector3d arm = before.pose.Rot().RotateVectorReverse(before.pose.Pos() - anchor);
  const Pose3d pose(anchor + rotation.RotateVector(arm), rotation);
  const Vector3d own = rotation.RotateVector(rate);
  Twist twist = At(parent.twist, pose.Pos() - parent.pose.Pos());
  twist.angular += own;
  twist.linear += own.Cross(pose.Pos() - anchor);
  physics::Link& child = *index_.Links()[entity.child].link;
  child.SetWorldPose(pose);
  SetTwist(child, twist);
  TakeAlong(entity.carried, carried, before, {pose, twist}, true);
}

/// Takes links along with one that got another state.
void Motion::TakeAlong(const std::vector<Row>& rows, const std::vector<State>& states,
                       const State& before, const State& after, bool moves) const {
  for (std::size_t number = 0; number < rows.size(); ++number) {
    physics::Link& link = *index_.Links()[rows[number]].link;
    const State moved = Carry(states[number], before, after);
    if (moves) {
      link.SetWorldPose(moved.pose);
    }
    SetTwist(link, moved.twist);
  }
}

double Motion::AxisRate(const JointEntity& entity, unsigned int axis) const {
  if (!entity.slides) {
    return entity.joint->GetVelocity(axis);
  }
  // Gazebo's leaves out the velocity that a turning parent gives a slide beside its origin.
  const State child = Link(entity.child);
  const State parent = ParentOf(entity);
  const Twist carried = At(parent.twist, child.pose.Pos() - parent.pose.Pos());
  return entity.joint->GlobalAxis(axis).Dot(child.twist.linear - carried.linear);
}

Motion::Rates Motion::RatesOf(const JointEntity& entity) const {
  Rates rates{};
  for (unsigned int axis = 0; axis < rates.size() && axis < entity.joint->DOF(); ++axis) {
    rates.at(axis) = AxisRate(entity, axis);
  }
  return rates;
}

State Motion::ParentOf(const JointEntity& entity) const {
  return entity.parent ? Link(*entity.parent) : State();
}

Vector3d Motion::BallTurn(const JointEntity& entity) const {
  const Quaterniond turn = ParentOf(entity).pose.Rot().Inverse() * Link(entity.child).pose.Rot();
  return RotationVector(entity.described.Inverse() * turn);
}

Vector3d Motion::BallRate(const JointEntity& entity) const {
  const State child = Link(entity.child);
  const Vector3d rate = child.twist.angular - ParentOf(entity).twist.angular;
  return child.pose.Rot().RotateVectorReverse(rate);
}

}  // namespace gazebo_batch_state
