// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gazebo_batch_state {

/// The command of one axis of a joint; rad and N m, or m and N of a slide.
///
/// In every physics step the axis gets the effort
///
///     stiffness (target position - position) + damping (target velocity - velocity) + feedforward
///
/// clamped to the effort limit. A target velocity is clamped to the velocity limit, and the target
/// position is followed no faster.
struct JointCommand {
  double target_position = 0.0;
  double target_velocity = 0.0;
  double feedforward = 0.0;
  double stiffness = 0.0;
  double damping = 0.0;
  double effort_limit = std::numeric_limits<double>::infinity();
  double velocity_limit = std::numeric_limits<double>::infinity();

  /// Whether it exerts nothing, whatever the axis does.
  bool IsPassive() const { return feedforward == 0.0 && stiffness == 0.0 && damping == 0.0; }

  /// A number by its place among the columns that are a command.
  double& At(std::size_t column);
  double At(std::size_t column) const { return const_cast<JointCommand*>(this)->At(column); }
};

/// The numbers of a command.
constexpr std::size_t kCommandColumns = 7;

/// What a command makes of the state of an axis.
struct JointDrive {
  double effort = 0.0;  ///< of the whole command, clamped, with the velocity before the step
  double force = 0.0;   ///< to exert as it is
  double damper = 0.0;  ///< a damping that the engine has to solve for the velocity after the step
  double limit = std::numeric_limits<double>::infinity();  ///< of force and damper together

  /// Whether the engine has to clamp the effort, because the velocity after the step decides.
  bool IsLimited() const { return !std::isinf(limit); }
};

/// Moves the followed target one step towards the target.
///
/// \param followed the target that the effort is made from [rad or m]
/// \param dt [s]
double Follow(const JointCommand& command, double followed, double dt);

/// Evaluates a command.
///
/// The part that brakes is left to the engine, so that it stays stable however stiff it is:
/// explicit damping diverges from damping * dt / inertia = 2 on, and alternates between both effort
/// limits for ever once it has reached one. Without damping, the effort is clamped here.
///
/// \param followed see Follow
JointDrive Evaluate(const JointCommand& command, double followed, double position, double velocity);

}  // namespace gazebo_batch_state
