// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/Exchange.h>
#include <gazebo_batch_state_msgs/OpenMailbox.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/flat_services.hpp"
#include "gazebo_batch_state/lock_step.hpp"
#include "gazebo_batch_state/log_throttle.hpp"
#include "gazebo_batch_state/mailbox.hpp"
#include "gazebo_batch_state/turn.hpp"

namespace gazebo_batch_state {

/// Answers exchanges through a mailbox: on the world's thread while that is held, and else on a
/// thread of its own.
class MailboxService final : public Guest {
 public:
  /// \param turn whoever has it may call the services
  MailboxService(BatchWorld& world, FlatServices& flat, Turn& turn);

  /// Call it where the turn is closed and the world runs no longer.
  ~MailboxService() override;
  MailboxService(const MailboxService&) = delete;
  MailboxService& operator=(const MailboxService&) = delete;

  /// Makes a mailbox, unless a client has one. Called with the turn, like the next.
  void OpenMailbox(gazebo_batch_state_msgs::OpenMailbox::Request& request,
                   gazebo_batch_state_msgs::OpenMailbox::Response& response);

  /// Removes a mailbox that nobody uses; call it once in a while.
  void Sweep();

  bool IsThere() const override { return Present() != nullptr; }
  bool Wait(std::chrono::microseconds time) override;
  void Ring() override;
  std::optional<std::uint32_t> Begin() override;
  void End() override;

 private:
  using Clock = std::chrono::steady_clock;
  using Request = gazebo_batch_state_msgs::Exchange::Request;
  using Response = gazebo_batch_state_msgs::Exchange::Response;

  std::shared_ptr<Mailbox> Present() const;
  void Replace(std::shared_ptr<Mailbox> mailbox);
  void Run();

  /// Calls what answers a request, with the turn; a failure is the answer then.
  template <class Call>
  bool Try(Call call);
  void Decode();
  void Send();

  BatchWorld& world_;
  FlatServices& flat_;
  Turn& turn_;
  mutable std::mutex mutex_;
  std::shared_ptr<Mailbox> present_;  // of those that wait for requests, maybe none
  Clock::time_point asked_;

  // Of the request that is being answered; belong to whoever has the turn.
  std::shared_ptr<Mailbox> mailbox_;
  Request request_;
  Response response_;
  LogThrottle throttle_;

  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace gazebo_batch_state
