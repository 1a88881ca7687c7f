// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "gazebo_batch_state/flat_codec.hpp"

namespace gazebo_batch_state {

/// How a camera sees, wherever it is.
struct Lens {
  double horizontal_fov = 0.0;  ///< [rad]
  std::uint32_t width = 0;      ///< [pixels]
  std::uint32_t height = 0;     ///< [pixels]
  double near = 0.05;           ///< [m]: what is nearer is not seen
  double far = 500.0;           ///< [m]
};

/// What is wrong with a lens, if anything is.
Reason CheckLens(const Lens& lens);

}  // namespace gazebo_batch_state
