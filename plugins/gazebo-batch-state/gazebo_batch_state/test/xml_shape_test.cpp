// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/xml_shape.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gazebo_batch_state {
namespace {

TEST(XmlShape, FindsTheRootPastPrologAndComments) {
  const std::string text =
      "<?xml version='1.0'?>\n<!-- <no/> -->\n<!DOCTYPE x>\n<sdf version='1.6'/>";
  EXPECT_EQ(ShapeOf(text).root, "sdf");
  EXPECT_EQ(ShapeOf(text).start, text.find("<sdf"));
  EXPECT_EQ(ShapeOf("<model>").root, "model");
  EXPECT_EQ(ShapeOf("<light/>").root, "light");
  EXPECT_EQ(ShapeOf("<robot\nname='r'>").root, "robot");
}

TEST(XmlShape, NoElementHasNoRoot) {
  for (const char* text : {"", "hello", "<!-- <a/>", "<?xml", "<![CDATA[<a>"}) {
    EXPECT_EQ(ShapeOf(text).root, "") << text;
    EXPECT_EQ(ShapeOf(text).depth, 0U) << text;
  }
}

TEST(XmlShape, CountsTheElementsThatAreOpenAtOnce) {
  EXPECT_EQ(ShapeOf("<a/>").depth, 1U);
  EXPECT_EQ(ShapeOf("<a><b/><b/></a>").depth, 2U);
  EXPECT_EQ(ShapeOf("<a><b><c x='1'></c></b><b></b></a>").depth, 3U);
  EXPECT_EQ(ShapeOf("<a><!-- <b><c> --><b/></a>").depth, 2U);
}

TEST(XmlShape, MalformedTextHasAShapeToo) {
  EXPECT_EQ(ShapeOf("</a></a><a>").depth, 1U);
  EXPECT_EQ(ShapeOf("<").root, "");
  EXPECT_EQ(ShapeOf("<a").root, "a");
  std::string deep;
  for (int number = 0; number < 100'000; ++number) {
    deep += "<a>";
  }
  EXPECT_EQ(ShapeOf(deep).depth, 100'000U);
}

}  // namespace
}  // namespace gazebo_batch_state
