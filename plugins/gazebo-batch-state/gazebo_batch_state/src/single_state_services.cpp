// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/single_state_services.hpp"

#include <array>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/World.hh>

#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

State StateOf(const physics::EntityPtr& entity) {
  return {entity->WorldPose(), {entity->WorldLinearVel(), entity->WorldAngularVel()}};
}

/// The state of a reference frame; nothing is the world.
bool FindFrame(const physics::WorldPtr& world, const std::string& name, State& frame) {
  if (name.empty() || name == "world" || name == "map" || name == "/map") {
    return true;
  }
  const auto entity = world->EntityByName(name);
  if (entity) {
    frame = StateOf(entity);
  }
  return entity != nullptr;
}

}  // namespace

void SingleStateServices::GetModelState(gazebo_msgs::GetModelState::Request& request,
                                        gazebo_msgs::GetModelState::Response& response) {
  const auto model = world_->ModelByName(request.model_name);
  State frame;
  if (!model) {
    response.status_message = "there is no model '" + request.model_name + "'";
  } else if (!FindFrame(world_, request.relative_entity_name, frame)) {
    response.status_message = "there is no frame '" + request.relative_entity_name + "'";
  } else {
    const State state = FromWorld(frame, StateOf(model));
    const auto time = world_->SimTime();
    response.header.stamp =
        ros::Time(static_cast<std::uint32_t>(time.sec), static_cast<std::uint32_t>(time.nsec));
    response.header.frame_id = request.relative_entity_name;
    response.pose = ToRos(state.pose);
    response.twist = ToRos(state.twist);
    response.success = 1;
  }
}

void SingleStateServices::SetModelState(gazebo_msgs::SetModelState::Request& request,
                                        gazebo_msgs::SetModelState::Response& response) {
  const gazebo_msgs::ModelState& wanted = request.model_state;
  const auto model = world_->ModelByName(wanted.model_name);
  State frame;
  if (!model) {
    response.status_message = "there is no model '" + wanted.model_name + "'";
  } else if (!FindFrame(world_, wanted.reference_frame, frame)) {
    response.status_message = "there is no frame '" + wanted.reference_frame + "'";
  } else {
    std::array<double, 7> numbers{};
    CopyPose(wanted.pose, numbers.data());
    const State state = ToWorld(frame, {PoseOf(numbers.data()), FromRos(wanted.twist)});
    const bool paused = world_->IsPaused();
    world_->SetPaused(true);
    model->SetWorldPose(state.pose);
    world_->SetPaused(paused);
    model->SetLinearVel(state.twist.linear);
    model->SetAngularVel(state.twist.angular);
    response.success = 1;
  }
}

}  // namespace gazebo_batch_state
