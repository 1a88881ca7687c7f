// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/echo_filter.hpp"

#include <algorithm>
#include <utility>

namespace gazebo_batch_state {

void EchoFilter::Sent(std::string message) {
  sent_.push_back(std::move(message));
  if (sent_.size() > limit_) {
    sent_.pop_front();
  }
}

bool EchoFilter::IsEcho(const std::string& message) {
  const auto found = std::find(sent_.begin(), sent_.end(), message);
  if (found == sent_.end()) {
    return false;
  }
  sent_.erase(sent_.begin(), found + 1);
  return true;
}

}  // namespace gazebo_batch_state
