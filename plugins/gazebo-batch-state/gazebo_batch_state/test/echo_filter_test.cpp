// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/echo_filter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gazebo_batch_state {
namespace {

TEST(EchoFilter, KnowsItsOwnMessagesOnce) {
  EchoFilter filter;
  filter.Sent("red");
  filter.Sent("blue");
  EXPECT_TRUE(filter.IsEcho("red"));
  EXPECT_TRUE(filter.IsEcho("blue"));
  EXPECT_FALSE(filter.IsEcho("red"));
}

TEST(EchoFilter, MessagesOfOthersPassInBetween) {
  EchoFilter filter;
  filter.Sent("red");
  EXPECT_FALSE(filter.IsEcho("green"));
  EXPECT_TRUE(filter.IsEcho("red"));
}

TEST(EchoFilter, LostMessagesAreForgottenWhenALaterOneArrives) {
  EchoFilter filter;
  filter.Sent("red");
  filter.Sent("blue");
  EXPECT_TRUE(filter.IsEcho("blue"));
  EXPECT_FALSE(filter.IsEcho("red"));
}

TEST(EchoFilter, TheSameMessageTwiceComesBackTwice) {
  EchoFilter filter;
  filter.Sent("red");
  filter.Sent("red");
  EXPECT_TRUE(filter.IsEcho("red"));
  EXPECT_TRUE(filter.IsEcho("red"));
  EXPECT_FALSE(filter.IsEcho("red"));
}

TEST(EchoFilter, RemembersNoMoreThanItsLimit) {
  EchoFilter filter(3);
  for (int number = 0; number < 10; ++number) {
    filter.Sent(std::to_string(number));
  }
  EXPECT_FALSE(filter.IsEcho("6"));
  EXPECT_TRUE(filter.IsEcho("7"));
}

}  // namespace
}  // namespace gazebo_batch_state
