// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/rendering/RenderTypes.hh>

#include "gazebo_batch_state/scene_state.hpp"

namespace gazebo_batch_state {

/// Looks whether all models and lights have come and gone, on the thread that draws.
///
/// \return what has not yet: then another look is needed; empty where all is in place
Reason Settle(gazebo::rendering::Scene& scene, const SceneState& state);

/// Puts what is drawn into a state, on the thread that draws.
///
/// Models and lights come and go by Gazebo's own messages. Poses and looks would come by messages
/// too, but later, and nothing tells when: so they are set here, whatever came or is yet to come.
///
/// \return what has not come or gone yet: then another try is needed; empty where all is in place
Reason Sync(gazebo::rendering::Scene& scene, const SceneState& state);

}  // namespace gazebo_batch_state
