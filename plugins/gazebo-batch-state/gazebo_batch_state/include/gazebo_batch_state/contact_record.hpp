// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "gazebo_batch_state/rigid_motion.hpp"

namespace gazebo_batch_state {

/// One contact of a step, as a sensor feels it.
struct Touch {
  Vector3d position;      ///< world frame [m]
  Vector3d normal;        ///< into the link that feels
  double distance = 0.0;  ///< of the two surfaces [m]; negative: they overlap
  Vector3d force;         ///< on the link that feels, world frame [N]
};

/// The contacts of one sensor over the physics steps of a tick, and its steps on the ground and in
/// the air. Times are counted in whole steps, so that no touch of a single step is lost.
class ContactRecord {
 public:
  /// How many numbers Write makes: found, force, torque, position (3 each), distance, normal (3),
  /// peak force, first contact, air time, last air time, contact time.
  static constexpr std::size_t kNumbers = 19;

  /// Begins a tick.
  void Begin();

  /// Adds a contact of the step that ends.
  void Add(const Touch& touch);

  /// Ends a step; counts it.
  void EndStep();

  /// How many steps the tick has so far.
  std::uint64_t Steps() const { return steps_; }

  /// Forgets everything.
  void Reset() { *this = ContactRecord(); }

  /// Writes what was felt, as means over the steps.
  ///
  /// \param timestep [s]
  std::array<double, kNumbers> Summary(double timestep) const;

 private:
  std::uint64_t steps_ = 0;
  Vector3d step_force_;   // of the step that ends
  bool touches_ = false;  // in the step that ends
  // Sums over the tick:
  Vector3d force_;
  Vector3d moment_;    // about the world's origin
  Vector3d position_;  // weighted by forces
  double weight_ = 0.0;
  double distance_ = std::numeric_limits<double>::infinity();  // of the deepest
  Vector3d normal_;
  double peak_ = 0.0;
  bool first_ = false;
  // Counts of steps, which go on from tick to tick:
  std::uint64_t air_ = 0;
  std::uint64_t last_air_ = 0;
  std::uint64_t contact_ = 0;
};

}  // namespace gazebo_batch_state
