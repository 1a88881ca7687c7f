// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/look_table.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gazebo_batch_state {
namespace {

constexpr std::size_t kWidth = Layout(Table::kLights).width;

/// New rows hold ten times their key, and count how often they were asked for.
struct Source {
  std::vector<LookTable::Key> keys;
  int described = 0;

  void Feed(LookTable& table) {
    table.Follow(keys, [this](std::size_t row, double* numbers) {
      ++described;
      std::fill(numbers, numbers + kWidth, 10.0 * static_cast<double>(keys[row]));
    });
  }
};

TEST(LookTable, NewRowsAreDescribed) {
  LookTable table(Table::kLights);
  Source source{{7, 3}};
  source.Feed(table);
  ASSERT_EQ(table.Numbers().size(), 2 * kWidth);
  EXPECT_EQ(table.Cells(0)[0], 70.0);
  EXPECT_EQ(table.Cells(1)[kWidth - 1], 30.0);
}

TEST(LookTable, KnownRowsKeepTheirNumbersWhereverTheyMove) {
  LookTable table(Table::kLights);
  Source source{{7, 3}};
  source.Feed(table);
  const std::array<double, 3> attenuation = {0.5, 0.25, 0.125};
  table.Set(1, 2, attenuation.data());
  source.keys = {3, 9};
  source.Feed(table);
  EXPECT_EQ(source.described, 3);
  EXPECT_EQ(table.Cells(0)[8], 0.5);
  EXPECT_EQ(table.Cells(0)[7], 30.0);
  EXPECT_EQ(table.Cells(1)[8], 90.0);
}

TEST(LookTable, TellsOnceWhichColumnsWereSet) {
  LookTable table(Table::kLights);
  Source source{{1, 2, 3}};
  source.Feed(table);
  const std::array<double, 4> color = {0.1, 0.2, 0.3, 1.0};
  table.Set(2, 0, color.data());
  table.Set(2, 1, color.data());
  table.Set(0, 1, color.data());
  EXPECT_EQ(table.TakeChanges(), (LookTable::Changes{{0, 2U}, {2, 3U}}));
  EXPECT_TRUE(table.TakeChanges().empty());
  EXPECT_EQ(table.Cells(2)[4], 0.1);
}

}  // namespace
}  // namespace gazebo_batch_state
