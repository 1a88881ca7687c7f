// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/lens.hpp"

#include <algorithm>
#include <cmath>

namespace gazebo_batch_state {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::uint32_t kMostPixels = 4096;  // a side: more is a slip, and textures have limits

}  // namespace

Reason CheckLens(const Lens& lens) {
  const bool opens = lens.horizontal_fov > 0.0 && lens.horizontal_fov < kPi;
  if (!opens) {
    return "horizontal_fov must lie in (0, pi) rad, got " + std::to_string(lens.horizontal_fov);
  }
  const auto [smaller, larger] = std::minmax(lens.width, lens.height);
  if (smaller < 1 || larger > kMostPixels) {
    return "a picture has 1 to " + std::to_string(kMostPixels) + " pixels a side, got " +
           std::to_string(lens.width) + " x " + std::to_string(lens.height);
  }
  const bool sees = lens.near > 0.0 && lens.far > lens.near && std::isfinite(lens.far);
  if (!sees) {
    return "a camera sees from near > 0 m to far > near, got " + std::to_string(lens.near) +
           " to " + std::to_string(lens.far);
  }
  return {};
}

}  // namespace gazebo_batch_state
