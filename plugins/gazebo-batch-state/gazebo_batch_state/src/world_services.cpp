// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/world_services.hpp"

#include <cmath>
#include <gazebo/physics/PhysicsEngine.hh>
#include <gazebo/physics/World.hh>

#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {

namespace msg = gazebo_batch_state_msgs;

void WorldServices::Pause(std_srvs::Trigger::Request& /*request*/,
                          std_srvs::Trigger::Response& response) {
  world_.Steps().Pause();
  response.success = 1;
}

void WorldServices::Unpause(std_srvs::Trigger::Request& /*request*/,
                            std_srvs::Trigger::Response& response) {
  world_.Steps().Resume();
  response.success = 1;
}

void WorldServices::Reset(std_srvs::Trigger::Request& /*request*/,
                          std_srvs::Trigger::Response& response) {
  world_.Reset();
  const BatchWorld::Access access(world_);
  shared_.Write(access);
  response.success = 1;
}

void WorldServices::SetPhysics(msg::SetPhysics::Request& request,
                               msg::SetPhysics::Response& response) {
  if (!std::isfinite(request.timestep) || request.timestep <= 0.0) {
    response.message = "timestep must be > 0 s, got " + std::to_string(request.timestep);
    return;
  }
  const Vector3d gravity = FromRos(request.gravity);
  if (!gravity.IsFinite()) {
    response.message = "gravity must be finite";
    return;
  }
  const BatchWorld::Access access(world_);
  world_.World()->Physics()->SetMaxStepSize(request.timestep);
  world_.World()->SetGravity(gravity);
  shared_.Write(access);
  response.success = 1;
}

}  // namespace gazebo_batch_state
