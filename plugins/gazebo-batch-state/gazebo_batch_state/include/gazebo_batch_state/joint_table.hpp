// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gazebo_batch_state/entity_index.hpp"
#include "gazebo_batch_state/joint_command.hpp"
#include "gazebo_batch_state/motion.hpp"
#include "gazebo_batch_state/servo_motor.hpp"

namespace gazebo_batch_state {

/// State and command of every axis of a joint.
///
/// Mimic joints are held to their leaders by ODE's implicit joint spring; a leader does not feel
/// what pushes its followers.
///
/// A joint is left alone until one of its axes gets a command that exerts something; from then to
/// the next reset its limits of effort and velocity are those of the table, and its damping is
/// solved implicitly. Not thread-safe; the caller sees to it that no step is in progress.
class JointTable {
 public:
  JointTable(const EntityIndex& index, const Motion& motion) : index_(index), motion_(motion) {}

  /// Takes on the rows of the index; those that were there before keep their command.
  void Follow();

  /// Copies all rows, see table_layout.hpp.
  void Read(double* numbers) const;

  /// Sets one cell; it was checked.
  ///
  /// \return why it was refused, or nothing
  Reason Write(Row row, std::uint8_t column, double value);

  /// Makes the damping that the joint itself has a multiple of the described one.
  void ScaleDamping(Row row, double factor);

  /// Whether no axis has a command to exert.
  bool IsIdle() const { return driven_ == 0 && followers_.empty(); }

  /// Exerts all commands for the physics step that begins.
  ///
  /// \param dt [s]
  void Drive(double dt);

  /// Finds the efforts of the physics step that ends: ODE solved their damping for the velocity
  /// after it.
  void EndStep();

  /// Makes all commands as described; call it after a reset of the world.
  void Reset();

 private:
  struct Axis {
    std::uint64_t key = 0;  // survives that rows before it come and go
    JointCommand described;
    JointCommand command;
    double followed = 0.0;  // see Follow
    JointDrive drive;       // of the latest step
    double effort = 0.0;    // of the latest step
    double turns = 0.0;     // whole turns that Gazebo does not count [rad]
    bool driven = false;
    double damper = 0.0;                // the part of the joint's damping that is ours
    double own_damping = 0.0;           // of the joint itself
    double described_damping = 0.0;     // the same, not scaled
    std::unique_ptr<ServoMotor> motor;  // once the axis has had a limited command with damping
  };

  double Position(Row row) const;
  double Velocity(Row row) const;
  void Push(const JointEntity& entity, double effort) const;
  std::vector<Row> FollowersOf(Row leader) const;
  void CountTurns(Row row, double position);
  void Engage(Row row);
  void Release(Row row);
  void Exert(Row row, const JointDrive& drive);
  void SetDamper(Row row, double damper);
  void SetDamping(Row row) const;
  void Hold(Row follower, double dt);

  const EntityIndex& index_;
  const Motion& motion_;
  std::vector<Axis> axes_;
  std::size_t driven_ = 0;      // axes
  std::vector<Row> followers_;  // mimic joints
};

}  // namespace gazebo_batch_state
