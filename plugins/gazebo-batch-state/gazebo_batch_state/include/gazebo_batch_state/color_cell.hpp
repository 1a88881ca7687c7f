// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/msgs/color.pb.h>

namespace gazebo_batch_state {

/// Four numbers of a row, r g b a, from and to Gazebo's message.
inline void ReadColor(const gazebo::msgs::Color& color, double* cell) {
  cell[0] = color.r();
  cell[1] = color.g();
  cell[2] = color.b();
  cell[3] = color.a();
}

inline void WriteColor(const double* cell, gazebo::msgs::Color* color) {
  color->set_r(static_cast<float>(cell[0]));
  color->set_g(static_cast<float>(cell[1]));
  color->set_b(static_cast<float>(cell[2]));
  color->set_a(static_cast<float>(cell[3]));
}

}  // namespace gazebo_batch_state
