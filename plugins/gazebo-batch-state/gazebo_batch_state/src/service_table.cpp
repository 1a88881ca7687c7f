// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/service_table.hpp"

#include <memory>

namespace gazebo_batch_state {

ros::SerializedMessage FailedAnswer(const std::string& text) {
  // One byte 0, then the text with its length before it.
  const auto bytes = std::make_shared<std::vector<std::uint8_t>>(1 + 4 + text.size());
  ros::serialization::OStream stream(bytes->data(), static_cast<std::uint32_t>(bytes->size()));
  stream.next(std::uint8_t{0});
  stream.next(text);
  ros::SerializedMessage answer;
  answer.buf = boost::shared_array<std::uint8_t>(bytes->data(), [bytes](std::uint8_t* /*data*/) {});
  answer.num_bytes = bytes->size();
  return answer;
}

}  // namespace gazebo_batch_state
