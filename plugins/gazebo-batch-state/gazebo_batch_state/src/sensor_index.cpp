// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/sensor_index.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gazebo/physics/Collision.hh>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <map>
#include <optional>
#include <utility>

#include "gazebo_batch_state/contact_record.hpp"
#include "gazebo_batch_state/sdf_values.hpp"
#include "gazebo_batch_state/sensor_types.hpp"

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;
using ignition::math::Quaterniond;

constexpr std::size_t kMostRays = 1'000'000;
const std::string kScope = "::";

std::optional<SensorKind> KindOf(const std::string& type) {
  static const std::map<std::string, SensorKind> kinds = {
      {"imu", SensorKind::kImu},         {"force_torque", SensorKind::kForceTorque},
      {"contact", SensorKind::kContact}, {"ray", SensorKind::kLidar},
      {"gpu_ray", SensorKind::kLidar},   {"lidar", SensorKind::kLidar},
      {"gpu_lidar", SensorKind::kLidar}, {"joint_state", SensorKind::kJointState}};
  const auto kind = kinds.find(type);
  if (kind != kinds.end()) {
    return kind->second;
  }
  return IsCamera(type) ? std::optional<SensorKind>(SensorKind::kCamera) : std::nullopt;
}

/// Equal angles from the first to the last.
std::vector<double> AnglesOf(const sdf::ElementPtr& rays, std::size_t otherwise) {
  const double samples =
      ValueOf(rays, "samples", static_cast<double>(otherwise)) * ValueOf(rays, "resolution", 1.0);
  const double bounded = std::min(std::max(samples, 1.0), static_cast<double>(kMostRays));
  const auto count = static_cast<std::size_t>(std::lround(bounded));
  const double first = ValueOf(rays, "min_angle", 0.0);
  const double last = ValueOf(rays, "max_angle", 0.0);
  const double gap = count > 1 ? (last - first) / static_cast<double>(count - 1) : 0.0;
  std::vector<double> angles(count);
  for (std::size_t number = 0; number < count; ++number) {
    angles[number] = first + gap * static_cast<double>(number);
  }
  return angles;
}

Scan ScanOf(const sdf::ElementPtr& sensor, const physics::LinkPtr& link) {
  const sdf::ElementPtr ray =
      sensor->HasElement("ray") ? Child(sensor, "ray") : Child(sensor, "lidar");
  const sdf::ElementPtr scan = Child(ray, "scan");
  const sdf::ElementPtr range = Child(ray, "range");
  Scan found;
  found.min_range = ValueOf(range, "min", 0.0);
  found.max_range = ValueOf(range, "max", 1e6);
  const std::vector<double> up = AnglesOf(Child(scan, "vertical"), 1);
  const std::vector<double> around = AnglesOf(Child(scan, "horizontal"), 640);
  if (up.size() * around.size() <= kMostRays) {
    found.rows = up.size();
    found.rays = around.size();
  }
  found.directions.reserve(found.rows * found.rays);
  for (std::size_t row = 0; row < found.rows; ++row) {
    for (const double yaw : around) {
      found.directions.emplace_back(std::cos(up[row]) * std::cos(yaw),
                                    std::cos(up[row]) * std::sin(yaw), std::sin(up[row]));
    }
  }
  if (ValueOf(ray, "sees_own", false)) {
    found.hidden.insert(link->GetId());  // no more than what surrounds its origin
    return found;
  }
  const std::function<void(const physics::ModelPtr&)> hide = [&](const physics::ModelPtr& model) {
    for (const auto& each : model->GetLinks()) {
      found.hidden.insert(each->GetId());
    }
    for (const auto& nested : model->NestedModels()) {
      hide(nested);
    }
  };
  hide(link->GetParentModel());  // the outermost one
  return found;
}

/// The collisions that a contact sensor names, or all of its link.
std::unordered_set<std::uint32_t> FeelingOf(const sdf::ElementPtr& sensor,
                                            const physics::LinkPtr& link) {
  std::unordered_set<std::uint32_t> all;
  std::unordered_set<std::uint32_t> named;
  const sdf::ElementPtr contact = Child(sensor, "contact");
  for (const auto& collision : link->GetCollisions()) {
    all.insert(collision->GetId());
    for (auto name = Child(contact, "collision"); name; name = name->GetNextElement("collision")) {
      const auto text = name->Get<std::string>();
      const std::size_t scope = text.rfind(kScope);
      const std::string bare = scope == std::string::npos ? text : text.substr(scope + 2);
      if (bare == collision->GetName()) {
        named.insert(collision->GetId());
      }
    }
  }
  return named.empty() ? all : named;
}

class Finder {
 public:
  explicit Finder(const EntityIndex& index) : index_(index) {}

  std::vector<SensorEntity> Find() {
    for (Row row = 0; row < index_.Links().size(); ++row) {
      AddAll(index_.Links()[row].link->GetSDF(), row, nullptr);
    }
    for (const ModelEntity& owner : index_.Models()) {
      for (const auto& joint : owner.model->GetJoints()) {
        const auto child = joint->GetChild();
        const auto row =
            child ? index_.Names(Table::kLinks).Find(child->GetScopedName()) : std::nullopt;
        if (row) {
          AddAll(joint->GetSDF(), *row, joint);
        }
      }
    }
    std::stable_sort(sensors_.begin(), sensors_.end(),
                     [](const auto& a, const auto& b) { return a.link < b.link; });
    return std::move(sensors_);
  }

 private:
  void AddAll(const sdf::ElementPtr& owner, Row link, const physics::JointPtr& joint) {
    for (const std::string tag : {"sensor", kHiddenSensor}) {
      for (auto sensor = Child(owner, tag); sensor; sensor = sensor->GetNextElement(tag)) {
        const auto kind = KindOf(sensor->Get<std::string>("type"));
        if (kind && (*kind == SensorKind::kForceTorque) == (joint != nullptr)) {
          Add(sensor, *kind, link, joint);
        }
      }
    }
  }

  void Add(const sdf::ElementPtr& element, SensorKind kind, Row row,
           const physics::JointPtr& joint) {
    const physics::LinkPtr& link = index_.Links()[row].link;
    SensorEntity sensor;
    sensor.name =
        index_.Names(Table::kLinks).Names()[row] + kScope + element->Get<std::string>("name");
    sensor.xml = element->ToString("");
    sensor.kind = kind;
    sensor.link = row;
    sensor.frame = ValueOf(element, "pose", Pose3d::Zero);
    sensor.joint = joint;
    if (kind == SensorKind::kLidar) {
      sensor.scan = ScanOf(element, link);
    } else if (kind == SensorKind::kContact) {
      sensor.collisions = FeelingOf(element, link);
    } else if (joint) {
      const Pose3d place = Compose(joint->InitialAnchorPose(), sensor.frame);
      const auto axes = ValueOf<std::string>(Child(element, "force_torque"), "frame", "child");
      sensor.frame = Pose3d(joint->InitialAnchorPose().Pos(),
                            axes == "sensor" ? place.Rot() : Quaterniond::Identity);
    }
    sensors_.push_back(std::move(sensor));
  }

  const EntityIndex& index_;
  std::vector<SensorEntity> sensors_;
};

}  // namespace

std::size_t SensorEntity::Size() const {
  switch (kind) {
    case SensorKind::kImu:
      return 10;
    case SensorKind::kForceTorque:
      return 6;
    case SensorKind::kContact:
      return ContactRecord::kNumbers;
    case SensorKind::kLidar:
      return scan.directions.size();
    case SensorKind::kJointState:
    case SensorKind::kCamera:
      return 0;
  }
  return 0;
}

std::vector<SensorEntity> FindSensors(const EntityIndex& index) { return Finder(index).Find(); }

}  // namespace gazebo_batch_state
