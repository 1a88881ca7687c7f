// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace gazebo_batch_state {

/// A moment between two physics steps.
struct Instant {
  std::uint64_t iterations = 0;  ///< physics steps since the last reset
  std::uint32_t seconds = 0;     ///< simulated time
  std::uint32_t nanoseconds = 0;
  double timestep = 0.0;  ///< of the steps to come [s]
};

}  // namespace gazebo_batch_state
