// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/sensor_table.hpp"

#include <algorithm>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/World.hh>
#include <limits>
#include <unordered_map>
#include <utility>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

double* Put(const Vector3d& vector, double* cell) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    *cell++ = vector[axis] + 0.0;  // no -0
  }
  return cell;
}

Pose3d FrameOf(const EntityIndex& index, const SensorEntity& sensor) {
  return Compose(index.Links()[sensor.link].link->WorldPose(), sensor.frame);
}

/// How fast the point of a link moves where the sensor sits, in the world frame.
Vector3d VelocityOf(const EntityIndex& index, const SensorEntity& sensor) {
  return index.Links()[sensor.link].link->WorldLinearVel(sensor.frame.Pos());
}

}  // namespace

SensorTable::SensorTable(physics::WorldPtr world, const EntityIndex& index)
    : world_(std::move(world)), index_(index), contacts_(world_, index), rays_(world_) {}

void SensorTable::Follow() {
  found_ = false;
  contacts_.Follow();
  if (watched_.empty()) {
    return;
  }
  std::unordered_map<std::string, Measured> old;
  for (auto& [number, measured] : watched_) {
    old.emplace(sensors_[number].name, measured);
  }
  watched_.clear();
  for (std::size_t number = 0; number < Sensors().size(); ++number) {
    const auto known = old.find(sensors_[number].name);
    if (known != old.end()) {
      Watch(number);
      watched_[number] = known->second;
      watched_[number].stepped = false;
    }
  }
}

const std::vector<SensorEntity>& SensorTable::Sensors() {
  if (!found_) {
    sensors_ = FindSensors(index_);
    found_ = true;
  }
  return sensors_;
}

void SensorTable::Watch(std::size_t sensor) {
  if (watched_.emplace(sensor, Measured()).second) {
    const SensorEntity& entity = Sensors()[sensor];
    if (entity.joint) {
      entity.joint->SetProvideFeedback(true);
    } else if (entity.kind == SensorKind::kContact) {
      contacts_.Watch();
    }
  }
}

void SensorTable::BeginTick() {
  for (auto& [number, measured] : watched_) {
    measured.record.Begin();
  }
}

void SensorTable::BeginStep() {
  for (auto& [number, measured] : watched_) {
    if (sensors_[number].kind == SensorKind::kImu) {
      measured.velocity = VelocityOf(index_, sensors_[number]);
    }
  }
}

void SensorTable::EndStep(double dt) {
  if (contacts_.IsWatched()) {
    contacts_.EndStep();
  }
  for (auto& [number, measured] : watched_) {
    const SensorEntity& sensor = sensors_[number];
    measured.stepped = true;
    if (sensor.kind == SensorKind::kImu) {
      measured.acceleration = (VelocityOf(index_, sensor) - measured.velocity) / dt;
    } else if (sensor.kind == SensorKind::kContact) {
      Feel(sensor, contacts_.OfStep(), measured.record);
      measured.record.EndStep();
    }
  }
}

void SensorTable::Read(std::size_t sensor, double timestep, double* numbers) {
  Watch(sensor);
  const SensorEntity& entity = sensors_[sensor];
  switch (entity.kind) {
    case SensorKind::kImu:
      return ReadImu(entity, watched_[sensor], numbers);
    case SensorKind::kForceTorque:
      return ReadForceTorque(entity, numbers);
    case SensorKind::kContact:
      return ReadContact(entity, watched_[sensor], timestep, numbers);
    case SensorKind::kLidar:
      return ReadLidar(entity, numbers);
    case SensorKind::kJointState:
    case SensorKind::kCamera:
      return;
  }
}

void SensorTable::ReadImu(const SensorEntity& sensor, const Measured& measured, double* numbers) {
  const physics::Link& link = *index_.Links()[sensor.link].link;
  const auto turn = FrameOf(index_, sensor).Rot();
  const Vector3d gravity = world_->Gravity();
  Vector3d acceleration = measured.acceleration;
  if (!measured.stepped) {
    acceleration = IsHeld(sensor) ? Vector3d::Zero : gravity;
  }
  *numbers++ = turn.X();
  *numbers++ = turn.Y();
  *numbers++ = turn.Z();
  *numbers++ = turn.W();
  numbers = Put(turn.RotateVectorReverse(link.WorldAngularVel()), numbers);
  Put(turn.RotateVectorReverse(acceleration - gravity), numbers);
}

void SensorTable::ReadForceTorque(const SensorEntity& sensor, double* numbers) {
  // Gazebo's is that of the child on the joint, at the joint's origin, in the child's axes.
  const physics::JointWrench wrench = sensor.joint->GetForceTorque(0);
  numbers = Put(sensor.frame.Rot().RotateVectorReverse(-wrench.body2Force), numbers);
  Put(sensor.frame.Rot().RotateVectorReverse(-wrench.body2Torque), numbers);
}

void SensorTable::ReadContact(const SensorEntity& sensor, const Measured& measured, double timestep,
                              double* numbers) {
  ContactRecord record = measured.record;
  if (record.Steps() == 0) {
    Feel(sensor, contacts_.Now(), record);
  }
  const auto summary = record.Summary(timestep);
  std::transform(summary.begin(), summary.end(), numbers, [](double each) { return each + 0.0; });
}

void SensorTable::ReadLidar(const SensorEntity& sensor, double* numbers) const {
  const Pose3d frame = FrameOf(index_, sensor);
  std::vector<Vector3d> directions;
  directions.reserve(sensor.scan.directions.size());
  for (const Vector3d& direction : sensor.scan.directions) {
    directions.push_back(frame.Rot() * direction);
  }
  rays_.Cast(frame.Pos(), directions, sensor.scan.max_range, sensor.scan.hidden, numbers);
  std::replace_if(
      numbers, numbers + directions.size(),
      [&sensor](double range) { return range < sensor.scan.min_range; },
      -std::numeric_limits<double>::infinity());
}

void SensorTable::Feel(const SensorEntity& sensor, const std::vector<ContactPoint>& points,
                       ContactRecord& record) {
  for (const ContactPoint& point : points) {
    for (const std::size_t side : {0U, 1U}) {
      if (sensor.collisions.count(point.collisions.at(side)) != 0) {
        const double sign = side == 1 ? 1.0 : -1.0;
        record.Add({point.position, sign * point.normal, -point.depth, sign * point.force});
      }
    }
  }
}

/// Whether something bears the model of a sensor, so that it does not fall freely.
bool SensorTable::IsHeld(const SensorEntity& sensor) {
  const LinkEntity& link = index_.Links()[sensor.link];
  if (link.is_static || !link.link->GetGravityMode()) {
    return true;
  }
  const auto model = link.link->GetParentModel();
  const auto row = index_.Names(Table::kModels).Find(model->GetScopedName());
  if (row && !index_.Models()[*row].held.empty()) {
    return true;
  }
  const auto points = contacts_.Now();
  return std::any_of(points.begin(), points.end(), [&](const ContactPoint& point) {
    return std::any_of(point.links.begin(), point.links.end(), [&](const auto& row) {
      return row && index_.Links()[*row].link->GetParentModel() == model;
    });
  });
}

void SensorTable::Reset() {
  contacts_.Reset();
  for (auto& [number, measured] : watched_) {
    measured = Measured();
  }
}

}  // namespace gazebo_batch_state
