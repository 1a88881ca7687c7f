// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/GetLights.h>
#include <gazebo_batch_state_msgs/GetVisuals.h>
#include <gazebo_batch_state_msgs/SetLights.h>
#include <gazebo_batch_state_msgs/SetVisuals.h>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/shared_memory.hpp"

namespace gazebo_batch_state {

/// Fills everything but the name of a message from a row of the table of visuals or lights.
void FillLooks(const BatchWorld::View& view, Row row, gazebo_batch_state_msgs::Visual& visual);
void FillLooks(const BatchWorld::View& view, Row row, gazebo_batch_state_msgs::Light& light);

/// Visuals and lights by name: see GetVisuals.srv and its siblings.
class LookServices {
 public:
  LookServices(BatchWorld& world, SharedMemory& shared) : world_(world), shared_(shared) {}

  void GetVisuals(gazebo_batch_state_msgs::GetVisuals::Request& request,
                  gazebo_batch_state_msgs::GetVisuals::Response& response);
  void SetVisuals(gazebo_batch_state_msgs::SetVisuals::Request& request,
                  gazebo_batch_state_msgs::SetVisuals::Response& response);
  void GetLights(gazebo_batch_state_msgs::GetLights::Request& request,
                 gazebo_batch_state_msgs::GetLights::Response& response);
  void SetLights(gazebo_batch_state_msgs::SetLights::Request& request,
                 gazebo_batch_state_msgs::SetLights::Response& response);

 private:
  template <class Messages, class Response>
  void Get(Table table, const std::vector<std::string>& wanted, Messages& messages,
           Response& response);
  template <class Messages, class Response>
  void Set(Table table, const Messages& messages, const std::vector<std::uint8_t>& columns,
           Response& response);

  BatchWorld& world_;
  SharedMemory& shared_;
};

}  // namespace gazebo_batch_state
