// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace gazebo_batch_state {

/// Limits a kind of log line to one per second, whatever clients send.
///
/// It counts real time: simulated time, which ROS's own throttle counts, may stand still.
class LogThrottle {
 public:
  using Clock = std::chrono::steady_clock;

  /// Notes a line.
  ///
  /// \return how many lines were left out since the last one that was logged; nothing: leave this
  ///   one out as well
  std::optional<std::uint64_t> Note(Clock::time_point now) {
    if (logged_ && now - *logged_ < std::chrono::seconds(1)) {
      ++left_out_;
      return std::nullopt;
    }
    const std::uint64_t count = left_out_;
    logged_ = now;
    left_out_ = 0;
    return count;
  }

 private:
  std::optional<Clock::time_point> logged_;
  std::uint64_t left_out_ = 0;
};

}  // namespace gazebo_batch_state
