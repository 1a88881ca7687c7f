// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/guarded_stream.hpp"

#include <gazebo_batch_state_msgs/Exchange.h>
#include <gazebo_batch_state_msgs/SpawnModels.h>
#include <gtest/gtest.h>

#include <random>

namespace gazebo_batch_state {
namespace {

using gazebo_batch_state_msgs::ExchangeRequest;
using gazebo_batch_state_msgs::SpawnModelsRequest;
using Bytes = std::vector<std::uint8_t>;

template <class Message>
Bytes Written(const Message& message) {
  Bytes bytes(ros::serialization::serializationLength(message));
  ros::serialization::OStream stream(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  stream.next(message);
  return bytes;
}

template <class Message>
Message Read(Bytes bytes) {
  Message message;
  GuardedStream stream(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  stream.next(message);
  return message;
}

ExchangeRequest Sample() {
  ExchangeRequest request;
  request.generation = 77;
  request.steps = 5;
  request.tables = 3;
  request.changes.resize(2);
  request.changes[1].column = 1;
  request.changes[1].rows = {4, 5};
  request.changes[1].values = {1.0, 2.0, 3.0};
  return request;
}

TEST(GuardedStream, ReadsWhatWasWritten) {
  EXPECT_EQ(Read<ExchangeRequest>(Written(Sample())), Sample());
  SpawnModelsRequest request;
  request.requests.resize(3);
  request.requests[2].xml = "<sdf/>";
  request.requests[2].pose.orientation.w = 1.0;
  EXPECT_EQ(Read<SpawnModelsRequest>(Written(request)), request);
}

TEST(GuardedStream, EveryMessageThatIsCutShortIsRefused) {
  const Bytes whole = Written(Sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_ANY_THROW(Read<ExchangeRequest>(part)) << size;
  }
}

TEST(GuardedStream, NoRoomIsMadeForWhatIsNotThere) {
  Bytes bytes = Written(ExchangeRequest());
  // changes: 4 billion, in a message of 17 bytes
  std::fill(bytes.begin() + 8, bytes.begin() + 12, std::uint8_t{255});
  EXPECT_THROW(Read<ExchangeRequest>(bytes), std::length_error);
}

TEST(GuardedStream, LengthsThatOverflowAreRefused) {
  Bytes bytes = Written(Sample());
  // 2^29 + 1 rows of 8 bytes are 8 bytes, if counted with 32 bits
  const std::uint32_t length = (1U << 29U) + 1U;
  const auto tail = 4 + 1 + 1 + 4;  // steps, more_steps, tables and the length of sensors
  const auto place = bytes.end() - tail - 3 * 8 - 4;
  std::memcpy(&*place, &length, sizeof(length));
  EXPECT_THROW(Read<ExchangeRequest>(bytes), std::length_error);
}

TEST(GuardedStream, JunkIsReadOrRefused) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> byte(0, 255);
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes(random() % 100);
    std::generate(bytes.begin(), bytes.end(),
                  [&] { return static_cast<std::uint8_t>(round % 2 == 0 ? byte(random) : 0); });
    try {
      Read<ExchangeRequest>(bytes);
      Read<SpawnModelsRequest>(bytes);
    } catch (const std::exception&) {
    }
  }
}

}  // namespace
}  // namespace gazebo_batch_state
