// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "gazebo_batch_state/rigid_motion.hpp"

namespace gazebo_batch_state {

/// Seven numbers of a row, already checked: x y z [m], then qx qy qz qw.
inline Pose3d PoseOf(const double* cell) {
  return {{cell[0], cell[1], cell[2]}, {cell[6], cell[3], cell[4], cell[5]}};
}

inline void WritePose(const Pose3d& pose, double* cell) {
  const std::array<double, 7> numbers = {pose.Pos().X(), pose.Pos().Y(), pose.Pos().Z(),
                                         pose.Rot().X(), pose.Rot().Y(), pose.Rot().Z(),
                                         pose.Rot().W()};
  std::copy(numbers.begin(), numbers.end(), cell);
}

}  // namespace gazebo_batch_state
