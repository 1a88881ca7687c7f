// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/shared_ptr.hpp>
#include <gazebo/transport/Node.hh>
#include <gazebo/transport/Publisher.hh>
#include <gazebo/transport/Subscriber.hh>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gazebo_batch_state/echo_filter.hpp"

namespace gazebo_batch_state {

/// A topic of Gazebo's transport that one both writes to and follows; thread-safe.
template <class Message>
class TopicMirror {
 public:
  TopicMirror(const gazebo::transport::NodePtr& node, const std::string& topic)
      : publisher_(node->Advertise<Message>(topic, kQueue)),
        subscriber_(node->Subscribe(topic, &TopicMirror::OnMessage, this)) {}

  void Publish(const Message& message) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      own_.Sent(message.SerializeAsString());
    }
    publisher_->Publish(message);
  }

  /// What others have sent since the last call, in order.
  std::vector<Message> Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(others_, {});
  }

 private:
  static constexpr unsigned int kQueue = 10000;

  void OnMessage(const boost::shared_ptr<const Message>& message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!own_.IsEcho(message->SerializeAsString())) {
      others_.push_back(*message);
    }
  }

  std::mutex mutex_;  // of own_ and others_
  EchoFilter own_;
  std::vector<Message> others_;
  gazebo::transport::PublisherPtr publisher_;
  gazebo::transport::SubscriberPtr subscriber_;
};

}  // namespace gazebo_batch_state
