// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// The state of a frame in the world: '', 'world' and 'map' are the world itself.
///
/// \param name else the name of a model or link
/// \throws std::invalid_argument if there is none
State FrameState(const BatchWorld::View& view, const std::string& name);

}  // namespace gazebo_batch_state
