// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gazebo_batch_state {

/// What sensors that Gazebo does not know are called in the descriptions that it gets.
constexpr const char* kHiddenSensor = "deepsim:sensor";

/// Whether Gazebo knows no sensors of the type, and would refuse a model with one.
bool IsHidden(const std::string& sensor_type);

/// Whether sensors of the type take pictures.
bool IsCamera(const std::string& sensor_type);

}  // namespace gazebo_batch_state
