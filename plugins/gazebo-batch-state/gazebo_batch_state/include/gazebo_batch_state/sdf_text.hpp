// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sdf/Element.hh>
#include <string>

namespace gazebo_batch_state {

/// What sensors that Gazebo does not know are called in the descriptions that it gets.
constexpr const char* kHiddenSensor = "deepsim:sensor";

/// Whether Gazebo knows no sensors of the type, and would refuse a model with one.
bool IsHidden(const std::string& sensor_type);

/// Whether sensors of the type take pictures.
bool IsCamera(const std::string& sensor_type);

/// An element as XML with all digits of its numbers; sdformat's own ToString keeps six.
std::string SdfText(const sdf::ElementPtr& element);

}  // namespace gazebo_batch_state
