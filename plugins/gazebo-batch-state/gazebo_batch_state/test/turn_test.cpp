// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/turn.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace gazebo_batch_state {
namespace {

TEST(Turn, OneHasItAtATime) {
  Turn turn;
  EXPECT_TRUE(turn.Take());
  EXPECT_FALSE(turn.TryTake());
  std::thread([&turn] { turn.Give(); }).join();  // not a mutex
  EXPECT_TRUE(turn.TryTake());
  turn.Give();
}

TEST(Turn, WhoComesAgainAndAgainLetsThoseWhoWaitGoFirst) {
  Turn turn;
  std::atomic<bool> done{false};
  std::thread busy([&turn, &done] {
    while (!done) {
      if (turn.TryTake()) {
        turn.Give();
      }
    }
  });
  for (int call = 0; call < 1000; ++call) {
    const Turn::Hold hold(turn);
  }
  done = true;
  busy.join();
}

TEST(Turn, NobodyWaitsForAClosedOne) {
  Turn turn;
  EXPECT_TRUE(turn.Take());
  std::atomic<bool> refused{false};
  std::thread waiting([&turn, &refused] { refused = !turn.Take(); });
  turn.Close();
  waiting.join();
  EXPECT_TRUE(refused);
  turn.Give();
  EXPECT_FALSE(turn.TryTake());
  EXPECT_THROW(Turn::Hold{turn}, std::runtime_error);
}

}  // namespace
}  // namespace gazebo_batch_state
