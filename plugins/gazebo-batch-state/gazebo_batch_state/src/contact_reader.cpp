// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/contact_reader.hpp"

#include <algorithm>
#include <boost/any.hpp>
#include <gazebo/physics/Collision.hh>
#include <gazebo/physics/Contact.hh>
#include <gazebo/physics/ContactManager.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/PhysicsEngine.hh>
#include <gazebo/physics/World.hh>
#include <utility>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

constexpr double kTogether = 1e-6;  // [m]

/// How much of a contact's force Gazebo tells of: it smooths what it tells, and not what acts.
double ShareTold(physics::PhysicsEngine& engine) {
  boost::any smoothing;
  if (!engine.GetParam("contact_residual_smoothing", smoothing)) {
    return 1.0;
  }
  const double* value = boost::any_cast<double>(&smoothing);
  return value != nullptr && *value < 1.0 ? 1.0 - *value : 1.0;
}

double Distance(const ContactPoint& a, const ContactPoint& b) {
  return (a.position - b.position).SquaredLength();
}

}  // namespace

ContactReader::ContactReader(physics::WorldPtr world, const EntityIndex& index)
    : world_(std::move(world)), index_(index) {}

void ContactReader::Follow() {
  rows_.clear();
  for (Row row = 0; row < index_.Links().size(); ++row) {
    rows_[index_.Links()[row].link->GetId()] = row;
  }
  Reset();  // their rows were others
}

void ContactReader::Reset() {
  of_step_.clear();
  inside_.clear();
}

void ContactReader::Watch() {
  watched_ = true;
  world_->Physics()->GetContactManager()->SetNeverDropContacts(true);
}

void ContactReader::BeforePhysics() {
  const physics::ContactManager& manager = *world_->Physics()->GetContactManager();
  turns_.clear();
  for (unsigned int number = 0; number < manager.GetContactCount(); ++number) {
    turns_.push_back(manager.GetContact(number)->collision1->GetLink()->WorldPose().Rot());
  }
}

void ContactReader::EndStep() {
  const physics::ContactManager& manager = *world_->Physics()->GetContactManager();
  const double share = ShareTold(*world_->Physics());
  of_step_ = Found();
  std::size_t point = 0;
  for (unsigned int number = 0; number < manager.GetContactCount(); ++number) {
    const physics::Contact& contact = *manager.GetContact(number);
    // ODE gives the force on the first body that can move, and Gazebo turns it into the frame that
    // the first link had when the step began.
    const double sign = contact.collision1->GetLink()->IsStatic() ? 1.0 / share : -1.0 / share;
    for (int each = 0; each < contact.count; ++each, ++point) {
      if (number < turns_.size()) {
        of_step_[point].force = sign * (turns_[number] * contact.wrench[each].body1Force);
      }
    }
  }
  inside_.clear();
  for (const ContactPoint& each : of_step_) {
    inside_.push_back(Inside(each));
  }
}

std::vector<ContactPoint> ContactReader::Now() {
  Watch();
  world_->Physics()->UpdateCollision();
  std::vector<ContactPoint> points = Found();
  const std::size_t found = points.size();
  for (std::size_t number = 0; number < of_step_.size(); ++number) {
    const ContactPoint& old = of_step_[number];
    ContactPoint* nearest = nullptr;
    for (std::size_t each = 0; each < found; ++each) {
      ContactPoint& point = points[each];
      if (point.collisions == old.collisions &&
          (nearest == nullptr || Distance(point, old) < Distance(*nearest, old))) {
        nearest = &point;
      }
    }
    if (nearest != nullptr) {
      nearest->force += old.force;
    } else if (IsTogether(old, inside_[number])) {
      points.push_back(old);
    }
  }
  return points;
}

std::vector<ContactPoint> ContactReader::Found() const {
  const physics::ContactManager& manager = *world_->Physics()->GetContactManager();
  std::vector<ContactPoint> points;
  for (unsigned int number = 0; number < manager.GetContactCount(); ++number) {
    const physics::Contact& contact = *manager.GetContact(number);
    ContactPoint point;
    point.links = {RowOf(*contact.collision1), RowOf(*contact.collision2)};
    point.collisions = {contact.collision1->GetId(), contact.collision2->GetId()};
    for (int each = 0; each < contact.count; ++each) {
      point.position = contact.positions[each];
      point.normal = -contact.normals[each];  // ODE's points into the first body
      point.depth = contact.depths[each];
      points.push_back(point);
    }
  }
  return points;
}

ContactReader::InLinks ContactReader::Inside(const ContactPoint& point) const {
  InLinks inside;
  for (const std::size_t side : {0U, 1U}) {
    const auto& row = point.links.at(side);
    inside.at(side) = point.position;
    if (row) {
      const Pose3d pose = index_.Links()[*row].link->WorldPose();
      inside.at(side) = pose.Rot().RotateVectorReverse(point.position - pose.Pos());
    }
  }
  return inside;
}

/// Whether the two links still are as they were at the end of the step, beside each other.
bool ContactReader::IsTogether(const ContactPoint& point, const InLinks& inside) const {
  InLinks places;
  for (const std::size_t side : {0U, 1U}) {
    const auto& row = point.links.at(side);
    places.at(side) = inside.at(side);
    if (row) {
      const Pose3d pose = index_.Links()[*row].link->WorldPose();
      places.at(side) = pose.Rot() * inside.at(side) + pose.Pos();
    }
  }
  return (places[0] - places[1]).Length() < kTogether;
}

std::optional<Row> ContactReader::RowOf(const physics::Collision& collision) const {
  const auto known = rows_.find(collision.GetLink()->GetId());
  return known == rows_.end() ? std::nullopt : std::optional<Row>(known->second);
}

}  // namespace gazebo_batch_state
