// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/GetContacts.h>
#include <gazebo_batch_state_msgs/GetSensors.h>
#include <gazebo_batch_state_msgs/Watch.h>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// Sensors and contacts; measurements themselves ride with Exchange.
class MeasureServices {
 public:
  explicit MeasureServices(BatchWorld& world) : world_(world) {}

  void GetContacts(gazebo_batch_state_msgs::GetContacts::Request& request,
                   gazebo_batch_state_msgs::GetContacts::Response& response);
  void GetSensors(gazebo_batch_state_msgs::GetSensors::Request& request,
                  gazebo_batch_state_msgs::GetSensors::Response& response);
  void Watch(gazebo_batch_state_msgs::Watch::Request& request,
             gazebo_batch_state_msgs::Watch::Response& response);

 private:
  BatchWorld& world_;
};

/// Measures with some sensors, one after the other; nothing unless each is a row.
std::vector<double> Measure(BatchWorld::Access& access, const std::vector<std::uint32_t>& sensors);

}  // namespace gazebo_batch_state
