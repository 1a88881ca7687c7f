// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/flat_codec.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace gazebo_batch_state {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Column& Find(Table table, const std::string& name) {
  for (const Column& column : Layout(table)) {
    if (column.name == name) {
      return column;
    }
  }
  throw std::invalid_argument(name);
}

TEST(TableLayout, CellsFillTheirRowsWithoutGaps) {
  const std::array<std::size_t, kTables> widths = {13, 22, 18, 19, 10};
  for (const Table table : kAllTables) {
    std::size_t end = 0;
    for (const Column& column : Layout(table)) {
      EXPECT_EQ(column.offset, end) << column.name;
      end += column.width;
    }
    EXPECT_EQ(end, Layout(table).width);
    EXPECT_EQ(end, widths[static_cast<std::size_t>(table)]);
  }
}

TEST(CheckBlock, AcceptsWholeCells) {
  EXPECT_EQ(CheckBlock(0, 0, 3, 21), "");
  EXPECT_EQ(CheckBlock(1, 1, 2, 12), "");
  EXPECT_EQ(CheckBlock(2, 5, 4, 4), "");
  EXPECT_EQ(CheckBlock(3, 2, 0, 0), "");
}

TEST(CheckBlock, NamesWhatIsWrong) {
  EXPECT_EQ(CheckBlock(5, 0, 1, 1), "there is no table 5, only 0 to 4");
  EXPECT_EQ(CheckBlock(255, 255, 1, 1), "there is no table 255, only 0 to 4");
  EXPECT_EQ(CheckBlock(0, 2, 1, 1), "models have no column 2, only 0 to 1");
  EXPECT_EQ(CheckBlock(3, 5, 1, 1), "lights have no column 5, only 0 to 4");
  EXPECT_EQ(CheckBlock(1, 0, 2, 13), "2 cells of links pose are 14 numbers, got 13");
}

TEST(CheckCell, UnitQuaternionsStayBitForBit) {
  const std::array<double, 7> pose = {1, 2, 3, 0.1, 0.2, 0.3, std::sqrt(1 - 0.14)};
  auto cell = pose;
  EXPECT_EQ(CheckCell(Find(Table::kModels, "pose"), cell.data()), "");
  EXPECT_EQ(cell, pose);
}

TEST(CheckCell, OtherQuaternionsAreBroughtToUnitLength) {
  std::array<double, 7> cell = {1, 2, 3, 0, 3, 0, 4};
  EXPECT_EQ(CheckCell(Find(Table::kLinks, "pose"), cell.data()), "");
  EXPECT_EQ(cell, (std::array<double, 7>{1, 2, 3, 0, 0.6, 0, 0.8}));
}

TEST(CheckCell, QuaternionsWithoutDirectionAreRefused) {
  std::array<double, 7> zero = {1, 2, 3, 0, 0, 0, 0};
  EXPECT_EQ(CheckCell(Find(Table::kModels, "pose"), zero.data()),
            "its quaternion is zero: without rotation it is 0 0 0 1");
  std::array<double, 7> huge = {1, 2, 3, 1e200, 0, 0, 0};
  EXPECT_EQ(CheckCell(Find(Table::kModels, "pose"), huge.data()), "its quaternion is too large");
}

TEST(CheckCell, PlacesBeyondAllPhysicsAreRefused) {
  std::array<double, 7> cell = {1e100, -1e100, 0, 0, 0, 0, 1};
  EXPECT_EQ(CheckCell(Find(Table::kModels, "pose"), cell.data()), "");
  for (const double far : {1e101, -1e300}) {
    cell[2] = far;
    EXPECT_EQ(CheckCell(Find(Table::kLinks, "pose"), cell.data()),
              "pose must lie within 1e100 m of the origin");
  }
}

TEST(CheckCell, WhatIsNotFiniteIsRefusedInEveryColumn) {
  for (const Table table : kAllTables) {
    for (const Column& column : Layout(table)) {
      if (column.rule == Rule::kLimit || column.rule == Rule::kMeasured) {
        continue;
      }
      for (const double bad : {kNan, kInfinity, -kInfinity}) {
        for (std::size_t place = 0; place < column.width; ++place) {
          std::array<double, 7> cell = {0, 0, 0, 0, 0, 0, 1};
          cell.at(place) = bad;
          EXPECT_EQ(CheckCell(column, cell.data()), std::string(column.name) + " must be finite");
        }
      }
    }
  }
}

TEST(CheckCell, ColoursLieBetweenZeroAndOne) {
  const Column& diffuse = Find(Table::kLights, "diffuse");
  std::array<double, 4> good = {0, 1, 0.5, 1};
  std::array<double, 4> above = {0, 1.001, 0.5, 1};
  std::array<double, 4> below = {0, 1, -1e-9, 1};
  EXPECT_EQ(CheckCell(diffuse, good.data()), "");
  EXPECT_EQ(CheckCell(diffuse, above.data()), "diffuse must lie in 0..1");
  EXPECT_EQ(CheckCell(diffuse, below.data()), "diffuse must lie in 0..1");
}

TEST(CheckCell, FlagsAreZeroOrOne) {
  const Column& visible = Find(Table::kVisuals, "visible");
  for (double flag : {0.0, 1.0}) {
    EXPECT_EQ(CheckCell(visible, &flag), "");
  }
  double half = 0.5;
  EXPECT_EQ(CheckCell(visible, &half), "visible must be 0 or 1");
}

TEST(CheckCell, AttenuationAndTwistMayBeAnyFiniteNumbers) {
  std::array<double, 6> numbers = {-1e9, 1e9, 3, 0, -7, 1e-300};
  EXPECT_EQ(CheckCell(Find(Table::kLights, "attenuation"), numbers.data()), "");
  EXPECT_EQ(CheckCell(Find(Table::kModels, "twist"), numbers.data()), "");
}

TEST(CheckCell, GainsAndLimitsAreNotNegative) {
  double zero = 0.0;
  double below = -1e-9;
  for (const std::string name : {"stiffness", "damping", "effort_limit", "velocity_limit"}) {
    const Column& column = Find(Table::kJoints, name);
    EXPECT_EQ(CheckCell(column, &zero), "");
    EXPECT_EQ(CheckCell(column, &below), name + " must be at least 0");
  }
}

TEST(CheckCell, ALimitMayBeInfinite) {
  double infinite = kInfinity;
  double nan = kNan;
  EXPECT_EQ(CheckCell(Find(Table::kJoints, "effort_limit"), &infinite), "");
  EXPECT_EQ(CheckCell(Find(Table::kJoints, "effort_limit"), &nan),
            "effort_limit must be at least 0");
}

TEST(CheckCell, WhatIsMeasuredIsNotWritten) {
  double zero = 0.0;
  EXPECT_EQ(CheckCell(Find(Table::kJoints, "effort"), &zero),
            "effort is measured: it cannot be written");
}

TEST(InMask, EachTableHasItsBit) {
  EXPECT_TRUE(InMask(1, Table::kModels));
  EXPECT_TRUE(InMask(8, Table::kLights));
  EXPECT_FALSE(InMask(7, Table::kLights));
  for (const Table table : kAllTables) {
    EXPECT_TRUE(InMask(kAllTablesMask, table));
    EXPECT_FALSE(InMask(0, table));
  }
}

}  // namespace
}  // namespace gazebo_batch_state
