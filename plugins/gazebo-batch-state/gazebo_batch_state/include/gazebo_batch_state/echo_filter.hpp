// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace gazebo_batch_state {

/// Tells what comes back of one's own messages from a topic from what others sent there.
///
/// Messages of one sender arrive in the order in which they were sent, but some may be lost.
class EchoFilter {
 public:
  /// \param limit messages to remember; of more than that the oldest count as lost
  explicit EchoFilter(std::size_t limit = 10000) : limit_(limit) {}

  /// Remembers a message that is about to be sent.
  void Sent(std::string message);

  /// Whether a message that arrived is one's own; each is recognised once.
  bool IsEcho(const std::string& message);

 private:
  std::size_t limit_;
  std::deque<std::string> sent_;
};

}  // namespace gazebo_batch_state
