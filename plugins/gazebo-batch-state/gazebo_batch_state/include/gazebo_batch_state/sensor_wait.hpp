// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/physics/PhysicsTypes.hh>
#include <string>
#include <vector>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// Adds Gazebo's names of all sensors of a model and of those nested in it.
void ListSensors(const gazebo::physics::ModelPtr& model, std::vector<std::string>& names);

/// Waits until Gazebo's main thread has started all new sensors. Not with access to the world.
///
/// One that is removed before it was started would stay for ever.
///
/// \throws std::runtime_error if the server ends
void WaitUntilStarted(const BatchWorld& world);

/// Waits until Gazebo's main thread has ended some sensors that were removed. Not with access.
///
/// A camera of the same name cannot be made before.
///
/// \throws std::runtime_error if the server ends
void WaitUntilEnded(const BatchWorld& world, const std::vector<std::string>& names);

}  // namespace gazebo_batch_state
