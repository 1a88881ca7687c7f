// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/log_throttle.hpp"

#include <gtest/gtest.h>

namespace gazebo_batch_state {
namespace {

using std::chrono::milliseconds;

TEST(LogThrottle, LogsOneLineASecondAndCountsTheOthers) {
  LogThrottle throttle;
  const auto start = LogThrottle::Clock::time_point(milliseconds(5000));
  EXPECT_EQ(throttle.Note(start), 0U);
  EXPECT_EQ(throttle.Note(start), std::nullopt);
  EXPECT_EQ(throttle.Note(start + milliseconds(999)), std::nullopt);
  EXPECT_EQ(throttle.Note(start + milliseconds(1000)), 2U);
  EXPECT_EQ(throttle.Note(start + milliseconds(1500)), std::nullopt);
  EXPECT_EQ(throttle.Note(start + milliseconds(9000)), 1U);
  EXPECT_EQ(throttle.Note(start + milliseconds(11000)), 0U);
}

}  // namespace
}  // namespace gazebo_batch_state
