// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/GetLinkStates.h>
#include <gazebo_batch_state_msgs/GetModelStates.h>
#include <gazebo_batch_state_msgs/SetLinkStates.h>
#include <gazebo_batch_state_msgs/SetModelStates.h>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/shared_memory.hpp"

namespace gazebo_batch_state {

/// States of models and links by name and in any frame: see GetModelStates.srv and its siblings.
class StateServices {
 public:
  StateServices(BatchWorld& world, SharedMemory& shared) : world_(world), shared_(shared) {}

  void GetModelStates(gazebo_batch_state_msgs::GetModelStates::Request& request,
                      gazebo_batch_state_msgs::GetModelStates::Response& response);
  void GetLinkStates(gazebo_batch_state_msgs::GetLinkStates::Request& request,
                     gazebo_batch_state_msgs::GetLinkStates::Response& response);
  void SetModelStates(gazebo_batch_state_msgs::SetModelStates::Request& request,
                      gazebo_batch_state_msgs::SetModelStates::Response& response);
  void SetLinkStates(gazebo_batch_state_msgs::SetLinkStates::Request& request,
                     gazebo_batch_state_msgs::SetLinkStates::Response& response);

 private:
  template <class Request, class Response>
  void Get(Table table, const Request& request, Response& response);
  template <class Request, class Response>
  void Set(Table table, const Request& request, Response& response);

  BatchWorld& world_;
  SharedMemory& shared_;
};

}  // namespace gazebo_batch_state
