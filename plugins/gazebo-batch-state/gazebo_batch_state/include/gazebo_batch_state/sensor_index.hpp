// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <gazebo/physics/PhysicsTypes.hh>
#include <string>
#include <unordered_set>
#include <vector>

#include "gazebo_batch_state/entity_index.hpp"

namespace gazebo_batch_state {

/// What a sensor measures, by its number on the wire.
enum class SensorKind : std::uint8_t {
  kImu = 0,
  kForceTorque = 1,
  kContact = 2,
  kLidar = 3,
  kJointState = 4,  ///< it is listed only: the table of joints has its numbers
  kCamera = 5       ///< it is listed only: see GetImage.srv
};

/// The rays of a lidar, in the frame of the sensor.
struct Scan {
  std::size_t rows = 0;
  std::size_t rays = 0;  ///< in a row
  double min_range = 0.0;
  double max_range = 0.0;  ///< [m]
  std::vector<Vector3d> directions;
  std::unordered_set<std::uint32_t> hidden;  ///< Gazebo's ids of the links it does not see
};

/// A sensor.
struct SensorEntity {
  std::string name;  ///< model::link::sensor
  std::string xml;   ///< its description, in the newest version of SDF
  SensorKind kind = SensorKind::kImu;
  Row link = 0;
  Pose3d frame;                                  ///< in the frame of the link
  gazebo::physics::JointPtr joint;               ///< of a force-torque sensor
  std::unordered_set<std::uint32_t> collisions;  ///< Gazebo's ids of those that feel
  Scan scan;

  /// How many numbers it measures.
  std::size_t Size() const;
};

/// The sensors of all links and joints, in the order of the links.
std::vector<SensorEntity> FindSensors(const EntityIndex& index);

}  // namespace gazebo_batch_state
