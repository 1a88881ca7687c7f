// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/msgs/msgs.hh>
#include <gazebo/rendering/RenderTypes.hh>
#include <vector>

#include "gazebo_batch_state/scene_state.hpp"

namespace gazebo_batch_state {

/// Looks whether all models and lights have come and gone, on the thread that draws.
///
/// \return what has not yet: then another look is needed; empty where all is in place
Reason Settle(gazebo::rendering::Scene& scene, const SceneState& state);

/// Makes all models come and go at once, on the thread that draws; for when waiting did not help.
///
/// Gazebo tells of a model twice, on ~/model/info and on ~/visual. What arrives after the model's
/// end is taken for a new one, which nobody removes; and as the scene finds parents by name, the
/// links of the next model of that name hang on it, or on nothing.
///
/// \param models the top-level ones of the same instant, see Describe
void Repair(gazebo::rendering::Scene& scene, const SceneState& state,
            const std::vector<gazebo::msgs::Model>& models);

/// Puts what is drawn into a state, on the thread that draws.
///
/// Models and lights come and go by Gazebo's own messages. Poses and looks would come by messages
/// too, but later, and nothing tells when: so they are set here, whatever came or is yet to come.
///
/// \return what has not come or gone yet: then another try is needed; empty where all is in place
Reason Sync(gazebo::rendering::Scene& scene, const SceneState& state);

}  // namespace gazebo_batch_state
