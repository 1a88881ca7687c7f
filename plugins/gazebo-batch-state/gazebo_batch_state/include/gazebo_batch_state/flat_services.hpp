// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/Exchange.h>
#include <gazebo_batch_state_msgs/GetNames.h>
#include <gazebo_batch_state_msgs/OpenSharedMemory.h>
#include <gazebo_batch_state_msgs/Step.h>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/shared_memory.hpp"

namespace gazebo_batch_state {

/// The tables as plain arrays of numbers: see Exchange.srv.
class FlatServices {
 public:
  FlatServices(BatchWorld& world, SharedMemory& shared) : world_(world), shared_(shared) {}

  void Exchange(gazebo_batch_state_msgs::Exchange::Request& request,
                gazebo_batch_state_msgs::Exchange::Response& response);
  /// The first half of an exchange: all that comes before its physics steps.
  ///
  /// \return how many steps it asks for; 0: the response is complete
  std::uint32_t Begin(BatchWorld::Access& access,
                      gazebo_batch_state_msgs::Exchange::Request& request,
                      gazebo_batch_state_msgs::Exchange::Response& response);

  /// The second half, after the steps were made.
  void End(BatchWorld::Access& access, const gazebo_batch_state_msgs::Exchange::Request& request,
           gazebo_batch_state_msgs::Exchange::Response& response);

  void GetNames(gazebo_batch_state_msgs::GetNames::Request& request,
                gazebo_batch_state_msgs::GetNames::Response& response);
  void OpenSharedMemory(gazebo_batch_state_msgs::OpenSharedMemory::Request& request,
                        gazebo_batch_state_msgs::OpenSharedMemory::Response& response);
  void Step(gazebo_batch_state_msgs::Step::Request& request,
            gazebo_batch_state_msgs::Step::Response& response);

 private:
  using Request = gazebo_batch_state_msgs::Exchange::Request;
  using Response = gazebo_batch_state_msgs::Exchange::Response;

  void Complete(BatchWorld::Access& access, const Request& request, Response& response);
  static void Apply(BatchWorld::Access& access, Request& request, Response& response);
  static void Fill(const BatchWorld::View& view, std::uint8_t tables, Response& response);

  BatchWorld& world_;
  SharedMemory& shared_;
};

}  // namespace gazebo_batch_state
