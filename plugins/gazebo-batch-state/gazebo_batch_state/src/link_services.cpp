// SPDX-License-Identifier: Apache-2.0
#include <gazebo_batch_state_msgs/GetFactors.h>
#include <gazebo_batch_state_msgs/GetKinematics.h>
#include <gazebo_batch_state_msgs/ScaleLinks.h>

#include <cmath>
#include <gazebo/physics/Inertial.hh>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/World.hh>

#include "gazebo_batch_state/services.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

/// What is wrong with a request, if anything is.
Reason Check(const EntityIndex& index, const msg::ScaleLinks::Request& request) {
  const NameIndex* names = index.NamesOf(Table::kLinks, request.generation);
  if (names == nullptr) {
    return "rows are of generation " + std::to_string(request.generation) + ", it is " +
           std::to_string(index.Generation()) + " now: ask get_names";
  }
  if (request.property >= kProperties) {
    return "properties are 0.." + std::to_string(kProperties - 1) + ", got " +
           std::to_string(request.property);
  }
  if (request.links.size() != request.factors.size()) {
    return std::to_string(request.factors.size()) + " factors for " +
           std::to_string(request.links.size()) + " links";
  }
  const auto property = static_cast<Property>(request.property);
  const bool can_be_zero = property == Property::kGravity || property == Property::kJointFriction;
  for (std::size_t number = 0; number < request.links.size(); ++number) {
    const double factor = request.factors[number];
    if (!std::isfinite(factor) || factor < 0.0 || (factor == 0.0 && !can_be_zero)) {
      return "factors must be finite and > 0, or 0 for gravity and joint friction, got " +
             std::to_string(factor);
    }
    const Row row = request.links[number];
    if (row >= names->Size()) {
      return "there is no row " + std::to_string(row) + ", only " + std::to_string(names->Size());
    }
    if (!index.Names(Table::kLinks).Find(names->Names()[row])) {
      return "link '" + names->Names()[row] + "' was deleted";
    }
  }
  return {};
}

void GetFactors(Served& served, msg::GetFactors::Request& /*request*/,
                msg::GetFactors::Response& response) {
  BatchWorld::Access access(served.world);
  response.generation = access.Index().Generation();
  response.factors.resize(kProperties * access.Rows(Table::kLinks));
  access.Factors().Read(response.factors.data());
}

void ScaleLinks(Served& served, msg::ScaleLinks::Request& request,
                msg::ScaleLinks::Response& response) {
  BatchWorld::Access access(served.world);
  const EntityIndex& index = access.Index();
  response.message = Check(index, request);
  if (!response.message.empty()) {
    return;
  }
  response.success = 1;
  const auto& names = index.NamesOf(Table::kLinks, request.generation)->Names();
  for (std::size_t number = 0; number < request.links.size(); ++number) {
    const auto row = index.Names(Table::kLinks).Find(names[request.links[number]]);
    access.Factors().Scale(static_cast<Property>(request.property), *row, request.factors[number]);
  }
}

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

void GetKinematics(Served& served, msg::GetKinematics::Request& /*request*/,
                   msg::GetKinematics::Response& response) {
  BatchWorld::Access access(served.world);
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
  put(served.world.World()->Gravity());
}

}  // namespace

void OfferLinks(ServiceTable& table, Served& served) {
  table.Offer("get_factors", served, &GetFactors);
  table.Offer("scale_links", served, &ScaleLinks);
  table.Offer("get_kinematics", served, &GetKinematics);
}

}  // namespace gazebo_batch_state
