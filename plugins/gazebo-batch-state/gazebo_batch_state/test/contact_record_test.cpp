// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/contact_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gazebo_batch_state {
namespace {

constexpr double kStep = 0.001;

enum Number : std::size_t {
  kFound = 0,
  kForceZ = 3,
  kTorqueX = 4,
  kPositionX = 7,
  kDistance = 10,
  kNormalZ = 13,
  kPeak = 14,
  kFirst = 15,
  kAir = 16,
  kLastAir = 17,
  kContact = 18
};

Touch TouchAt(double x, double force, double distance = -0.001) {
  return {{x, 0, 0}, {0, 0, 1}, distance, {0, 0, force}};
}

TEST(ContactRecord, FeelsNothingAtFirst) {
  const auto felt = ContactRecord().Summary(kStep);
  EXPECT_EQ(felt[kFound], 0.0);
  EXPECT_TRUE(std::isinf(felt[kDistance]));
  EXPECT_EQ(felt[kPositionX], 0.0);
}

TEST(ContactRecord, MeansCoverAllStepsOfATick) {
  ContactRecord record;
  record.Begin();
  record.Add(TouchAt(0.0, 10.0));
  record.Add(TouchAt(1.0, 30.0, -0.002));
  record.EndStep();
  record.EndStep();  // without a touch
  const auto felt = record.Summary(kStep);
  EXPECT_EQ(felt[kFound], 1.0);
  EXPECT_DOUBLE_EQ(felt[kForceZ], 20.0);
  EXPECT_DOUBLE_EQ(felt[kPositionX], 0.75);  // weighted by forces
  EXPECT_NEAR(felt[kTorqueX], 0.0, 1e-12);   // about that point
  EXPECT_DOUBLE_EQ(felt[kDistance], -0.002);
  EXPECT_DOUBLE_EQ(felt[kNormalZ], 1.0);
  EXPECT_DOUBLE_EQ(felt[kPeak], 40.0);
  EXPECT_DOUBLE_EQ(felt[kAir], kStep);
  EXPECT_DOUBLE_EQ(felt[kContact], 0.0);
}

TEST(ContactRecord, CountsFlightsAndTouchesInSteps) {
  ContactRecord record;
  for (int step = 0; step < 5; ++step) {
    record.EndStep();
  }
  record.Begin();
  EXPECT_DOUBLE_EQ(record.Summary(kStep)[kAir], 5 * kStep);
  record.Add(TouchAt(0.0, 1.0));
  record.EndStep();
  auto felt = record.Summary(kStep);
  EXPECT_EQ(felt[kFirst], 1.0);
  EXPECT_DOUBLE_EQ(felt[kLastAir], 5 * kStep);
  EXPECT_DOUBLE_EQ(felt[kContact], kStep);
  record.Begin();
  record.Add(TouchAt(0.0, 1.0));
  record.EndStep();
  felt = record.Summary(kStep);
  EXPECT_EQ(felt[kFirst], 0.0);
  EXPECT_DOUBLE_EQ(felt[kContact], 2 * kStep);
  record.Reset();
  EXPECT_DOUBLE_EQ(record.Summary(kStep)[kContact], 0.0);
}

}  // namespace
}  // namespace gazebo_batch_state
