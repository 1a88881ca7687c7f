// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/link_factors.hpp"

#include <algorithm>
#include <gazebo/physics/Collision.hh>
#include <gazebo/physics/Inertial.hh>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/SurfaceParams.hh>
#include <unordered_map>
#include <utility>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

constexpr const char* kFrictionKey = "friction";  // Gazebo's, of a joint

constexpr std::size_t NumberOf(Property property) { return static_cast<std::size_t>(property); }

}  // namespace

void LinkFactors::Follow() {
  if (scaled_.empty()) {
    return;
  }
  std::unordered_map<std::uint32_t, Scaled> old;
  for (auto& [row, scaled] : scaled_) {
    old.emplace(scaled.id, std::move(scaled));
  }
  scaled_.clear();
  for (Row row = 0; row < index_.Links().size(); ++row) {
    const auto known = old.find(index_.Links()[row].link->GetId());
    if (known == old.end()) {
      continue;
    }
    Scaled& scaled = scaled_.emplace(row, std::move(known->second)).first->second;
    std::map<Row, double> axes;  // they are in the same order as before
    auto described = scaled.joint_friction.begin();
    for (Row axis = 0; axis < index_.Joints().size(); ++axis) {
      const JointEntity& entity = index_.Joints()[axis];
      if (entity.child == row && !entity.is_ball && described != scaled.joint_friction.end()) {
        axes.emplace(axis, (described++)->second);
      }
    }
    scaled.joint_friction = std::move(axes);
  }
  CountWeights();
}

void LinkFactors::Read(double* numbers) const {
  std::fill(numbers, numbers + kProperties * index_.Links().size(), 1.0);
  for (const auto& [row, scaled] : scaled_) {
    std::copy(scaled.factors.begin(), scaled.factors.end(), numbers + kProperties * row);
  }
}

double LinkFactors::Factor(Property property, Row row) const {
  const auto known = scaled_.find(row);
  return known == scaled_.end() ? 1.0 : known->second.factors.at(NumberOf(property));
}

void LinkFactors::Scale(Property property, Row row, double factor) {
  auto known = scaled_.find(row);
  if (known == scaled_.end()) {
    known = scaled_.emplace(row, Described(row)).first;
  }
  known->second.factors.at(NumberOf(property)) = factor;
  Set(row, known->second, property);
  CountWeights();
}

void LinkFactors::Apply(const Vector3d& gravity) const {
  for (const auto& [row, scaled] : scaled_) {
    const double factor = scaled.factors[NumberOf(Property::kGravity)];
    physics::Link& link = *index_.Links()[row].link;
    if (factor != 1.0 && link.GetGravityMode() && !index_.Links()[row].is_static) {
      link.AddForce((factor - 1.0) * link.GetInertial()->Mass() * gravity);  // and wakes it up
    }
  }
}

void LinkFactors::Reset() {
  for (auto& [row, scaled] : scaled_) {
    scaled.factors.fill(1.0);
    for (std::size_t number = 0; number < kProperties; ++number) {
      Set(row, scaled, static_cast<Property>(number));
    }
  }
  scaled_.clear();
  weights_ = 0;
}

LinkFactors::Scaled LinkFactors::Described(Row row) const {
  const physics::LinkPtr& link = index_.Links()[row].link;
  Scaled scaled;
  scaled.id = link->GetId();
  const physics::InertialPtr inertial = link->GetInertial();
  scaled.mass = inertial->Mass();
  scaled.inertia = inertial->MOI();
  for (const auto& collision : link->GetCollisions()) {
    const auto pyramid = collision->GetSurface()->FrictionPyramid();
    scaled.friction.push_back({pyramid->MuPrimary(), pyramid->MuSecondary()});
  }
  for (Row axis = 0; axis < index_.Joints().size(); ++axis) {
    const JointEntity& entity = index_.Joints()[axis];
    if (entity.child == row && !entity.is_ball) {
      scaled.joint_friction[axis] = entity.joint->GetParam(kFrictionKey, entity.axis);
    }
  }
  return scaled;
}

/// Hands one property of a link to Gazebo.
void LinkFactors::Set(Row row, const Scaled& scaled, Property property) const {
  const physics::LinkPtr& link = index_.Links()[row].link;
  const double factor = scaled.factors.at(NumberOf(property));
  switch (property) {
    case Property::kMass: {
      const physics::InertialPtr inertial = link->GetInertial();
      inertial->SetMass(factor * scaled.mass);
      inertial->SetMOI(scaled.inertia * factor);
      if (!index_.Links()[row].is_static) {
        link->UpdateMass();
      }
      return;
    }
    case Property::kFriction: {
      const physics::Collision_V collisions = link->GetCollisions();
      for (std::size_t number = 0; number < scaled.friction.size(); ++number) {
        const auto pyramid = collisions[number]->GetSurface()->FrictionPyramid();
        pyramid->SetMuPrimary(factor * scaled.friction[number].primary);
        pyramid->SetMuSecondary(factor * scaled.friction[number].secondary);
      }
      return;
    }
    case Property::kDamping:
      for (const auto& [axis, friction] : scaled.joint_friction) {
        joints_.ScaleDamping(axis, factor);
      }
      return;
    case Property::kJointFriction:
      for (const auto& [axis, friction] : scaled.joint_friction) {
        const JointEntity& entity = index_.Joints()[axis];
        if (friction != 0.0) {
          entity.joint->SetParam(kFrictionKey, entity.axis, factor * friction);
        }
      }
      return;
    case Property::kGravity:  // see Apply
    case Property::kArmature:
      return;
  }
}

void LinkFactors::CountWeights() {
  weights_ =
      static_cast<std::size_t>(std::count_if(scaled_.begin(), scaled_.end(), [](const auto& each) {
        return each.second.factors[NumberOf(Property::kGravity)] != 1.0;
      }));
}

}  // namespace gazebo_batch_state
