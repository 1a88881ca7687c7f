// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/joint_command.hpp"

#include <algorithm>
#include <cmath>

namespace gazebo_batch_state {

double& JointCommand::At(std::size_t column) {
  const std::array<double*, kCommandColumns> numbers = {
      &target_position, &target_velocity, &feedforward,   &stiffness,
      &damping,         &effort_limit,    &velocity_limit};
  return *numbers.at(column);
}

double Follow(const JointCommand& command, double followed, double dt) {
  const double most = command.velocity_limit * dt;
  const double left = command.target_position - followed;
  return std::abs(left) <= most ? command.target_position : followed + std::copysign(most, left);
}

JointDrive Evaluate(const JointCommand& command, double followed, double position,
                    double velocity) {
  const double limit = command.velocity_limit;
  const double target_velocity = std::clamp(command.target_velocity, -limit, limit);
  const double push = command.stiffness * (followed - position) +
                      command.damping * target_velocity + command.feedforward;
  const double effort = push - command.damping * velocity;
  const double clamped = std::clamp(effort, -command.effort_limit, command.effort_limit);
  if (command.damping == 0.0 || command.effort_limit == 0.0) {
    return {clamped, clamped};
  }
  return {clamped, push, command.damping, command.effort_limit};
}

}  // namespace gazebo_batch_state
