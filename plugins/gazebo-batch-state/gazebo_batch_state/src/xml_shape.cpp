// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/xml_shape.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace gazebo_batch_state {
namespace {

/// What is no element: how it begins and how it ends.
constexpr std::array<std::pair<const char*, const char*>, 4> kSkipped = {
    {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}}};

/// The end of what begins there and is no element, or npos if it is an element's tag.
std::size_t SkippedEnd(const std::string& text, std::size_t at) {
  for (const auto& [begin, end] : kSkipped) {
    if (text.compare(at, std::strlen(begin), begin) == 0) {
      return std::min(text.find(end, at), text.size());
    }
  }
  return std::string::npos;
}

}  // namespace

XmlShape ShapeOf(const std::string& text) {
  XmlShape shape{"", 0, 0};
  std::size_t open = 0;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const std::size_t skipped = SkippedEnd(text, at);
    if (skipped != std::string::npos) {
      at = skipped;
      continue;
    }
    const std::size_t end = std::min(text.find('>', at), text.size());
    if (text.compare(at, 2, "</") == 0) {
      open -= open > 0 ? 1 : 0;
    } else {
      if (shape.root.empty()) {
        shape.start = at;
        const std::size_t stop = std::min(text.find_first_of(" \t\r\n/>", at), text.size());
        shape.root = text.substr(at + 1, stop - at - 1);
      }
      shape.depth = std::max(shape.depth, open + 1);
      open += text[end - 1] == '/' ? 0 : 1;
    }
    at = end;
  }
  return shape;
}

}  // namespace gazebo_batch_state
