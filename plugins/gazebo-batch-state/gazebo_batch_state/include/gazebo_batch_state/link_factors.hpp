// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ignition/math/Matrix3.hh>
#include <map>
#include <vector>

#include "gazebo_batch_state/entity_index.hpp"
#include "gazebo_batch_state/joint_table.hpp"

namespace gazebo_batch_state {

/// The physics properties of a link that can be scaled, as on the wire.
enum class Property : std::uint8_t {
  kMass = 0,
  kGravity = 1,
  kFriction = 2,
  kDamping = 3,
  kJointFriction = 4,
  kArmature = 5  ///< no model of Gazebo 11 describes any: a factor of it changes nothing
};
constexpr std::size_t kProperties = 6;

/// Scales mass, weight, friction and damping of links.
///
/// All numbers are factors of what was described. Weight is scaled by a force at the centre of mass
/// in each step. Not thread-safe; the caller sees to it that no step is in progress.
class LinkFactors {
 public:
  LinkFactors(const EntityIndex& index, JointTable& joints) : index_(index), joints_(joints) {}

  /// Takes on the rows of the index; links that were there before keep their factors.
  void Follow();

  /// Copies kProperties factors for each link.
  void Read(double* numbers) const;

  /// The factor of a property of a link.
  double Factor(Property property, Row row) const;

  /// Sets one factor; it was checked.
  void Scale(Property property, Row row, double factor);

  /// Whether no link has another weight than described.
  bool IsIdle() const { return weights_ == 0; }

  /// Corrects the weights for the physics step that begins.
  ///
  /// \param gravity of the world [m/s^2]
  void Apply(const Vector3d& gravity) const;

  /// Makes all factors 1.
  void Reset();

 private:
  struct Friction {
    double primary = 0.0;
    double secondary = 0.0;
  };
  struct Scaled {
    std::uint32_t id = 0;  // Gazebo's, of the link
    std::array<double, kProperties> factors{1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    double mass = 0.0;  // as described, like all below
    ignition::math::Matrix3d inertia;
    std::vector<Friction> friction;        // of each collision
    std::map<Row, double> joint_friction;  // of each axis whose child it is
  };

  Scaled Described(Row row) const;
  void Set(Row row, const Scaled& scaled, Property property) const;
  void CountWeights();

  const EntityIndex& index_;
  JointTable& joints_;
  std::map<Row, Scaled> scaled_;
  std::size_t weights_ = 0;  // links
};

}  // namespace gazebo_batch_state
