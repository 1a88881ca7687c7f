// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/SetPhysics.h>
#include <std_srvs/Trigger.h>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/shared_memory.hpp"

namespace gazebo_batch_state {

/// What concerns the world as a whole.
class WorldServices {
 public:
  WorldServices(BatchWorld& world, SharedMemory& shared) : world_(world), shared_(shared) {}

  void Pause(std_srvs::Trigger::Request& request, std_srvs::Trigger::Response& response);

  /// Lets the world run freely, at the pace that its description asks for.
  void Unpause(std_srvs::Trigger::Request& request, std_srvs::Trigger::Response& response);

  /// Time 0, every model at rest where it was described or spawned; looks and entities stay.
  void Reset(std_srvs::Trigger::Request& request, std_srvs::Trigger::Response& response);

  void SetPhysics(gazebo_batch_state_msgs::SetPhysics::Request& request,
                  gazebo_batch_state_msgs::SetPhysics::Response& response);

 private:
  BatchWorld& world_;
  SharedMemory& shared_;
};

}  // namespace gazebo_batch_state
