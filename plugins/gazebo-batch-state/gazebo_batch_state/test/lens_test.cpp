// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/lens.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace gazebo_batch_state {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool Says(const Lens& lens, const std::string& what) {
  return CheckLens(lens).find(what) != std::string::npos;
}

TEST(Lens, OrdinaryOnesAreFine) {
  EXPECT_EQ(CheckLens({1.0, 320, 240}), "");
  EXPECT_EQ(CheckLens({3.14, 1, 1, 0.001, 1e6}), "");
  EXPECT_EQ(CheckLens({0.01, 4096, 4096}), "");
}

TEST(Lens, AnglesAreThoseOfAPinhole) {
  for (const double angle : {0.0, -1.0, 3.15, kNaN, kInfinity}) {
    EXPECT_TRUE(Says({angle, 320, 240}, "horizontal_fov")) << angle;
  }
}

TEST(Lens, AbsurdSizesAreNamed) {
  EXPECT_TRUE(Says({1.0, 0, 240}, "0 x 240"));
  EXPECT_TRUE(Says({1.0, 320, 0}, "320 x 0"));
  EXPECT_TRUE(Says({1.0, 4097, 240}, "4097 x 240"));
  EXPECT_TRUE(Says({1.0, 320, 4'000'000'000}, "320 x 4000000000"));
}

TEST(Lens, FarIsFartherThanNear) {
  EXPECT_TRUE(Says({1.0, 320, 240, 0.0, 10.0}, "near"));
  EXPECT_TRUE(Says({1.0, 320, 240, 10.0, 10.0}, "near"));
  EXPECT_TRUE(Says({1.0, 320, 240, kNaN, 10.0}, "near"));
  EXPECT_TRUE(Says({1.0, 320, 240, 0.1, kInfinity}, "near"));
}

}  // namespace
}  // namespace gazebo_batch_state
