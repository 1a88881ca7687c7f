// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace gazebo_batch_state {

/// What can be said of a text that may be XML without parsing it.
struct XmlShape {
  std::string root;   ///< the tag of the first element, past prolog and comments; '' without one
  std::size_t start;  ///< where that begins
  std::size_t depth;  ///< how many elements are open at most: parsers are recursive, stacks finite
};

XmlShape ShapeOf(const std::string& text);

}  // namespace gazebo_batch_state
