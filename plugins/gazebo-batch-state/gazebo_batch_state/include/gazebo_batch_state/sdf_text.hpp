// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sdf/Element.hh>
#include <string>

namespace gazebo_batch_state {

/// An element as XML with all digits of its numbers; sdformat's own ToString keeps six.
std::string SdfText(const sdf::ElementPtr& element);

}  // namespace gazebo_batch_state
