// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/serialization.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace gazebo_batch_state {

/// Reads a message that may be anything.
///
/// roscpp's own stream makes room for as many elements as a message announces before it looks
/// whether they are there: 16 bytes can ask for 34 GB, and the kernel ends the server.
class GuardedStream : public ros::serialization::Stream {
 public:
  static const ros::serialization::StreamType stream_type = ros::serialization::stream_types::Input;

  GuardedStream(std::uint8_t* data, std::uint32_t size) : Stream(data, size) {}

  template <class Type>
  void next(Type& value) {
    ros::serialization::deserialize(*this, value);
  }

  template <class Type, class Allocator>
  void next(std::vector<Type, Allocator>& values) {
    CheckLength(ros::serialization::serializationLength(Type()));
    ros::serialization::deserialize(*this, values);
  }

  void next(std::string& text) {
    CheckLength(1);
    ros::serialization::deserialize(*this, text);
  }

 private:
  /// \param smallest bytes that one element needs at least
  void CheckLength(std::uint32_t smallest) {
    std::uint32_t length = 0;
    if (getLength() < sizeof(length)) {
      throw std::length_error("the message ends too soon");
    }
    std::memcpy(&length, getData(), sizeof(length));
    if (std::uint64_t{length} * smallest > getLength() - sizeof(length)) {
      throw std::length_error("the message announces " + std::to_string(length) +
                              " elements, which it has no room for");
    }
  }
};

}  // namespace gazebo_batch_state
