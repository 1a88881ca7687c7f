// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gazebo_batch_state/instant.hpp"

namespace gazebo_batch_state {

/// Decides at the end of each step whether a topic is due, by simulated time.
class RateLimit {
 public:
  /// \param rate messages per second of simulated time, > 0
  explicit RateLimit(double rate) : period_(1.0 / rate) {}

  /// Whether a period has passed since this was true for the last time, or time went back.
  bool IsDue(const Instant& now) {
    const double time = now.seconds + 1e-9 * now.nanoseconds;
    // Half a step of room, or rounding would make every other message late by a step.
    const bool due = time < last_ || time - last_ >= period_ - 0.5 * now.timestep;
    last_ = due ? time : last_;
    return due;
  }

 private:
  double period_;       // [s]
  double last_ = -1e9;  // simulated time [s]
};

}  // namespace gazebo_batch_state
