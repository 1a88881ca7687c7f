// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/sensor_types.hpp"

#include <set>

namespace gazebo_batch_state {
namespace {

const std::set<std::string> kHiddenCameras = {"depth_camera", "rgbd", "rgbd_camera",
                                              "segmentation_camera"};
const std::set<std::string> kCameras = {"camera", "depth", "multicamera", "wideanglecamera"};

}  // namespace

bool IsHidden(const std::string& sensor_type) {
  return sensor_type == "joint_state" || kHiddenCameras.count(sensor_type) > 0;
}

bool IsCamera(const std::string& sensor_type) {
  return kCameras.count(sensor_type) > 0 || kHiddenCameras.count(sensor_type) > 0;
}

}  // namespace gazebo_batch_state
