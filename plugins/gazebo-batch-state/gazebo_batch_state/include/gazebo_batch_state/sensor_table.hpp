// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <gazebo/physics/PhysicsTypes.hh>
#include <map>
#include <string>
#include <vector>

#include "gazebo_batch_state/contact_reader.hpp"
#include "gazebo_batch_state/contact_record.hpp"
#include "gazebo_batch_state/entity_index.hpp"
#include "gazebo_batch_state/ray_caster.hpp"
#include "gazebo_batch_state/sensor_index.hpp"

namespace gazebo_batch_state {

/// Measures with the sensors of all models, from the state of the physics alone.
///
/// Gazebo's own sensors run in threads and measure when they get round to it; these measure at the
/// end of a step. A sensor that nobody watches costs nothing. A force is that of the outside on the
/// link that carries the sensor. Not thread-safe; no step is in progress, but where it says so.
class SensorTable {
 public:
  SensorTable(gazebo::physics::WorldPtr world, const EntityIndex& index);

  /// Takes on the rows of the index; sensors that were there before go on measuring.
  void Follow();

  /// All sensors; found when they are first asked for.
  const std::vector<SensorEntity>& Sensors();

  /// Measures with a sensor from the next step on.
  void Watch(std::size_t sensor);

  /// Where things touch.
  ContactReader& Contacts() { return contacts_; }

  /// Whether the steps need not be watched.
  bool IsIdle() const { return watched_.empty() && !contacts_.IsWatched(); }

  /// The next step is the first one of a tick.
  void BeginTick();

  /// Notes how links move before a step.
  void BeginStep();

  /// Measures what only a step shows.
  ///
  /// \param dt [s]
  void EndStep(double dt);

  /// Copies the present measurement of a sensor.
  ///
  /// imu: orientation, angular velocity, linear acceleration; force_torque: force, torque; contact:
  /// see ContactRecord; lidar: ranges.
  ///
  /// \param timestep [s]
  /// \param numbers room for as many as the sensor has
  void Read(std::size_t sensor, double timestep, double* numbers);

  /// Forgets what was measured.
  void Reset();

 private:
  struct Measured {
    bool stepped = false;  // since it is watched, and since the last reset
    Vector3d velocity;     // of an imu before the step
    Vector3d acceleration;
    ContactRecord record;
  };

  void ReadImu(const SensorEntity& sensor, const Measured& measured, double* numbers);
  static void ReadForceTorque(const SensorEntity& sensor, double* numbers);
  void ReadContact(const SensorEntity& sensor, const Measured& measured, double timestep,
                   double* numbers);
  void ReadLidar(const SensorEntity& sensor, double* numbers) const;
  static void Feel(const SensorEntity& sensor, const std::vector<ContactPoint>& points,
                   ContactRecord& record);
  bool IsHeld(const SensorEntity& sensor);

  gazebo::physics::WorldPtr world_;
  const EntityIndex& index_;
  ContactReader contacts_;
  RayCaster rays_;
  bool found_ = false;  // the sensors below are those of the index
  std::vector<SensorEntity> sensors_;
  std::map<std::size_t, Measured> watched_;
};

}  // namespace gazebo_batch_state
