// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/name_index.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace gazebo_batch_state {
namespace {

TEST(NameIndex, RowsAreInTheOrderOfAdding) {
  NameIndex index;
  EXPECT_EQ(index.Add("b"), 0U);
  EXPECT_EQ(index.Add("a"), 1U);
  EXPECT_EQ(index.Find("b"), 0U);
  EXPECT_EQ(index.Find("a"), 1U);
  EXPECT_EQ(index.Names(), (std::vector<std::string>{"b", "a"}));
}

TEST(NameIndex, UnknownNamesHaveNoRow) {
  NameIndex index;
  EXPECT_FALSE(index.Find("").has_value());
  index.Add("model::link");
  EXPECT_FALSE(index.Find("model").has_value());
  EXPECT_FALSE(index.Find("model::link::").has_value());
}

TEST(NameIndex, ATakenNameAddsNothing) {
  NameIndex index;
  index.Add("a");
  EXPECT_FALSE(index.Add("a").has_value());
  EXPECT_EQ(index.Size(), 1U);
}

TEST(NameIndex, EqualWhenNamesAndOrderAre) {
  NameIndex one;
  NameIndex other;
  one.Add("a");
  one.Add("b");
  other.Add("b");
  other.Add("a");
  EXPECT_NE(one, other);
  EXPECT_EQ(one, NameIndex(one));
}

TEST(NameIndex, FindingIsNotLinear) {
  NameIndex index;
  constexpr int kNames = 100'000;
  for (int number = 0; number < kNames; ++number) {
    index.Add("model_" + std::to_string(number));
  }
  // By comparing one name after the other this would be 10^10 comparisons: minutes.
  const auto start = std::chrono::steady_clock::now();
  for (int number = 0; number < kNames; ++number) {
    ASSERT_EQ(index.Find("model_" + std::to_string(number)), static_cast<unsigned>(number));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace gazebo_batch_state
