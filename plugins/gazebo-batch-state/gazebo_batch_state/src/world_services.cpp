// SPDX-License-Identifier: Apache-2.0
#include <gazebo_batch_state_msgs/SetPhysics.h>
#include <std_srvs/Trigger.h>

#include <cmath>
#include <gazebo/physics/PhysicsEngine.hh>
#include <gazebo/physics/World.hh>

#include "gazebo_batch_state/ros_values.hpp"
#include "gazebo_batch_state/services.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

void Pause(Served& served, std_srvs::Trigger::Request& /*request*/,
           std_srvs::Trigger::Response& response) {
  served.world.Steps().Pause();
  response.success = 1;
}

/// Lets the world run freely, at the pace that its description asks for.
void Unpause(Served& served, std_srvs::Trigger::Request& /*request*/,
             std_srvs::Trigger::Response& response) {
  served.world.Steps().Resume();
  response.success = 1;
}

/// Time 0, every model at rest where it was described or spawned; looks and entities stay.
void Reset(Served& served, std_srvs::Trigger::Request& /*request*/,
           std_srvs::Trigger::Response& response) {
  served.world.Reset();
  const BatchWorld::Access access(served.world);
  served.shared.Write(access);
  response.success = 1;
}

void SetPhysics(Served& served, msg::SetPhysics::Request& request,
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
  const BatchWorld::Access access(served.world);
  served.world.World()->Physics()->SetMaxStepSize(request.timestep);
  served.world.World()->SetGravity(gravity);
  served.shared.Write(access);
  response.success = 1;
}

}  // namespace

void OfferWorld(ServiceTable& table, Served& served) {
  table.Offer("pause", served, &Pause);
  table.Offer("unpause", served, &Unpause);
  table.Offer("reset", served, &Reset);
  table.Offer("set_physics", served, &SetPhysics);
}

}  // namespace gazebo_batch_state
