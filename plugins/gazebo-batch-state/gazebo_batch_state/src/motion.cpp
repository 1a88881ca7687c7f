// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/motion.hpp"

#include <gazebo/physics/Inertial.hh>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;
using ignition::math::Quaterniond;

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

/// The rates of the axes of a joint [rad/s or m/s].
std::array<double, 2> RatesOf(const physics::Joint& joint) {
  std::array<double, 2> rates{};
  for (unsigned int axis = 0; axis < rates.size() && axis < joint.DOF(); ++axis) {
    rates.at(axis) = joint.GetVelocity(axis);
  }
  return rates;
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
  if (entity.held.empty() && by != 0.0) {
    MoveJoint(entity, by, RatesOf(*entity.joint));
  }
  return entity.held;
}

Reason Motion::SetJointRate(Row row, double rate) const {
  const JointEntity& entity = index_.Joints()[row];
  if (entity.held.empty()) {
    Rates rates = RatesOf(*entity.joint);
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
    child.SetWorldPose(pose);
  }
  Twist twist;  // of the parent, where the child is
  if (entity.parent) {
    const State parent = Link(*entity.parent);
    twist = At(parent.twist, pose.Pos() - parent.pose.Pos());
  }
  for (unsigned int axis = 0; axis < rates.size() && axis < joint.DOF(); ++axis) {
    const Vector3d rate = rates.at(axis) * joint.GlobalAxis(axis);
    if (entity.slides) {
      twist.linear += rate;
    } else {
      twist.angular += rate;
      twist.linear += rate.Cross(pose.Pos() - anchor);
    }
  }
  const State after = {pose, twist};
  SetTwist(child, twist);
  for (std::size_t number = 0; number < carried.size(); ++number) {
    physics::Link& link = *index_.Links()[entity.carried[number]].link;
    const State moved = Carry(carried[number], before, after);
    if (by != 0.0) {
      link.SetWorldPose(moved.pose);
    }
    SetTwist(link, moved.twist);
  }
}

}  // namespace gazebo_batch_state
