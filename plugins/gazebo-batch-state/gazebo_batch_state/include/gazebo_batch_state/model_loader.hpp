// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/physics/PhysicsTypes.hh>
#include <sdf/Element.hh>

namespace gazebo_batch_state {

/// Adds a model to a world, as Gazebo does with each one of a world file.
///
/// World::SetState and Gazebo's factory end in the same function, which is private; before that,
/// for each model, they read text and copy the whole schema of SDF, which takes several times as
/// long as the rest.
///
/// \param root the entity that all models of the world belong to
/// \throws what Gazebo throws, which may be anything
gazebo::physics::ModelPtr LoadModel(gazebo::physics::World& world, const sdf::ElementPtr& element,
                                    const gazebo::physics::BasePtr& root);

}  // namespace gazebo_batch_state
