// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace gazebo_batch_state {

/// The time between two looks at something of Gazebo that tells nobody when it changes.
inline constexpr auto kPoll = std::chrono::milliseconds(1);

}  // namespace gazebo_batch_state
