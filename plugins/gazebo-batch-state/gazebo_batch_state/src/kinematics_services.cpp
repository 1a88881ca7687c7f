// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/kinematics_services.hpp"

#include <gazebo/physics/Inertial.hh>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/World.hh>

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

/// The link that the joint of each link hangs on; -1: none.
std::vector<double> Bearers(const EntityIndex& index) {
  const NameIndex& names = index.Names(Table::kLinks);
  std::vector<double> bearers(index.Links().size(), -1.0);
  for (const ModelEntity& owner : index.Models()) {
    for (const auto& joint : owner.model->GetJoints()) {
      const auto parent = joint->GetParent();
      const auto child = joint->GetChild();
      const auto from = parent ? names.Find(parent->GetScopedName()) : std::nullopt;
      const auto to = child ? names.Find(child->GetScopedName()) : std::nullopt;
      if (from && to) {
        bearers[*to] = static_cast<double>(*from);
      }
    }
  }
  return bearers;
}

}  // namespace

void KinematicsServices::GetKinematics(msg::GetKinematics::Request& /*request*/,
                                       msg::GetKinematics::Response& response) {
  BatchWorld::Access access(world_);
  const EntityIndex& index = access.Index();
  response.generation = index.Generation();
  std::vector<double>& numbers = response.numbers;
  const auto put = [&numbers](const Vector3d& vector) {
    numbers.insert(numbers.end(), {vector.X(), vector.Y(), vector.Z()});
  };
  const std::vector<double> bearers = Bearers(index);
  for (Row row = 0; row < index.Links().size(); ++row) {
    const auto& link = index.Links()[row].link;
    const double weight =
        link->GetGravityMode() ? access.Factors().Factor(Property::kGravity, row) : 0.0;
    numbers.insert(numbers.end(), {bearers[row], link->GetInertial()->Mass(), weight});
    put(link->WorldCoGPose().Pos());
    const auto inertia = link->WorldInertiaMatrix();
    put({inertia(0, 0), inertia(0, 1), inertia(0, 2)});
    put({inertia(1, 1), inertia(1, 2), inertia(2, 2)});
  }
  for (const JointEntity& entity : index.Joints()) {
    numbers.insert(numbers.end(), {static_cast<double>(entity.child), entity.slides ? 1.0 : 0.0});
    const Pose3d child = index.Links()[entity.child].link->WorldPose();
    if (entity.is_ball) {
      Vector3d axis;
      axis[entity.axis] = 1.0;
      put(child.Rot().RotateVector(axis));
      put(entity.joint->Anchor(0));
      continue;
    }
    put(entity.joint->GlobalAxis(entity.axis));
    put(entity.slides ? child.Pos() : entity.joint->Anchor(entity.axis));
  }
  put(world_.World()->Gravity());
}

}  // namespace gazebo_batch_state
