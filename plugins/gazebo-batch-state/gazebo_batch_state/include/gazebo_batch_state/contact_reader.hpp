// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <gazebo/physics/PhysicsTypes.hh>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gazebo_batch_state/entity_index.hpp"

namespace gazebo_batch_state {

/// A point where two collisions touch.
struct ContactPoint {
  std::array<std::optional<Row>, 2> links;        ///< nothing: of no row
  std::array<std::uint32_t, 2> collisions{0, 0};  ///< Gazebo's ids
  Vector3d position;                              ///< world frame [m]
  Vector3d normal;                                ///< from the first link to the second
  double depth = 0.0;                             ///< [m]
  Vector3d force;                                 ///< of the first on the second, world frame [N]
};

/// Finds where things touch, without Gazebo's own topics and sensors.
///
/// Gazebo keeps contacts only once somebody watches them, so there is a cost from then on. Not
/// thread-safe; the caller sees to it that no step is in progress, but where it says so.
class ContactReader {
 public:
  ContactReader(gazebo::physics::WorldPtr world, const EntityIndex& index);

  /// Takes on the rows of the index.
  void Follow();

  /// Has Gazebo keep all contacts from the next step on.
  void Watch();
  bool IsWatched() const { return watched_; }

  /// Notes how links are turned; within a step, when it has found all contacts and moves nothing.
  void BeforePhysics();

  /// Takes the contacts of the step that ends, with their forces.
  void EndStep();

  /// The contacts of the latest step: where things touched when it began.
  const std::vector<ContactPoint>& OfStep() const { return of_step_; }

  /// The contacts at the present instant, with those of the latest step that nobody has pulled
  /// apart since: what rests leaves its contacts by some 1e-12 m in every other step.
  ///
  /// A force is that of the latest step, at the nearest point between the same collisions; it is 0
  /// where they did not touch.
  std::vector<ContactPoint> Now();

  /// Forgets the forces of the latest step.
  void Reset();

 private:
  using InLinks = std::array<Vector3d, 2>;  // a point in the frames of both links

  std::vector<ContactPoint> Found() const;
  InLinks Inside(const ContactPoint& point) const;
  bool IsTogether(const ContactPoint& point, const InLinks& inside) const;
  std::optional<Row> RowOf(const gazebo::physics::Collision& collision) const;

  gazebo::physics::WorldPtr world_;
  const EntityIndex& index_;
  std::unordered_map<std::uint32_t, Row> rows_;  // by Gazebo's ids of links
  bool watched_ = false;
  std::vector<ignition::math::Quaterniond> turns_;  // of the first links of contacts
  std::vector<ContactPoint> of_step_;
  std::vector<InLinks> inside_;  // of each of them, at the end of the step
};

}  // namespace gazebo_batch_state
