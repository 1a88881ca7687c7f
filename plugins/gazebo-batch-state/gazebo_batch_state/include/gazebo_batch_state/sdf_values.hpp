// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sdf/Element.hh>
#include <string>

namespace gazebo_batch_state {

/// A child element, or null; sdformat's own GetElement adds one, or fails where it has no schema.
inline sdf::ElementPtr Child(const sdf::ElementPtr& element, const std::string& tag) {
  return element && element->HasElement(tag) ? element->GetElement(tag) : nullptr;
}

/// The value of a child element, if there is one.
template <class Value>
Value ValueOf(const sdf::ElementPtr& element, const std::string& tag, Value otherwise) {
  return element && element->HasElement(tag) ? element->Get<Value>(tag) : otherwise;
}

}  // namespace gazebo_batch_state
