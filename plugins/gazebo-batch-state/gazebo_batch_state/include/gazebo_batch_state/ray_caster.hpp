// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <gazebo/physics/PhysicsTypes.hh>
#include <gazebo/physics/ode/ODETypes.hh>
#include <unordered_set>
#include <vector>

#include "gazebo_batch_state/rigid_motion.hpp"

namespace gazebo_batch_state {

/// Casts rays at the collisions of a world, as ODE has them at the present instant.
class RayCaster {
 public:
  /// Which links rays go through: Gazebo's ids.
  using Hidden = std::unordered_set<std::uint32_t>;

  explicit RayCaster(const gazebo::physics::WorldPtr& world);

  /// The distance to the nearest surface along each ray; infinite without one.
  ///
  /// \param origin world frame [m]
  /// \param directions unit vectors, world frame
  /// \param range how far rays go [m]
  /// \param distances room for as many numbers as there are directions [m]
  void Cast(const Vector3d& origin, const std::vector<Vector3d>& directions, double range,
            const Hidden& hidden, double* distances) const;

 private:
  gazebo::physics::ODEPhysicsPtr physics_;  // nothing: another engine
};

}  // namespace gazebo_batch_state
