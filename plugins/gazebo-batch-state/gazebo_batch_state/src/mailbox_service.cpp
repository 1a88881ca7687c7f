// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/mailbox_service.hpp"

#include <ros/console.h>
#include <ros/serialization.h>

#include <exception>
#include <gazebo/physics/PhysicsEngine.hh>
#include <gazebo/physics/World.hh>
#include <string>
#include <utility>

#include "gazebo_batch_state/guarded_stream.hpp"
#include "gazebo_batch_state/shared_directory.hpp"

namespace gazebo_batch_state {
namespace {

constexpr auto kGrace = std::chrono::seconds(5);             // for a client to take the lock
constexpr auto kLookAround = std::chrono::milliseconds(20);  // for the end, and for a new mailbox

}  // namespace

MailboxService::MailboxService(BatchWorld& world, FlatServices& flat, Turn& turn)
    : world_(world), flat_(flat), turn_(turn) {
  world_.Steps().Invite(this);
  thread_ = std::thread([this] { Run(); });
}

MailboxService::~MailboxService() {
  ended_ = true;
  Ring();
  thread_.join();
}

void MailboxService::OpenMailbox(gazebo_batch_state_msgs::OpenMailbox::Request& request,
                                 gazebo_batch_state_msgs::OpenMailbox::Response& response) {
  const auto present = Present();
  if (present && present->IsUsed()) {
    response.message = "another client uses the mailbox";
    return;
  }
  try {
    Replace(std::make_shared<Mailbox>(CheckedDirectory(request.directory)));
  } catch (const std::exception& error) {
    response.message = error.what();
    return;
  }
  asked_ = Clock::now();
  response.path = Present()->Path();
  response.version = kMailboxVersion;
  response.size = Present()->Size();
  response.success = 1;
}

void MailboxService::Sweep() {
  const auto present = Present();
  if (present && !present->IsUsed() && Clock::now() - asked_ > kGrace) {
    Replace(nullptr);
  }
}

bool MailboxService::Wait(std::chrono::microseconds time) {
  const auto present = Present();
  return present && present->Wait(time);
}

void MailboxService::Ring() {
  if (const auto present = Present()) {
    present->Ring();
  }
}

std::optional<std::uint32_t> MailboxService::Begin() {
  if (!turn_.TryTake()) {
    return {};
  }
  std::uint32_t steps = 0;
  mailbox_ = Present();
  if (mailbox_ && mailbox_->HasRequest()) {
    const bool done = Try([this, &steps] {
      Decode();
      BatchWorld::Access access(world_);
      steps = flat_.Begin(access, request_, response_);
      if (steps > 0) {
        access.BeginSteps(request_.more_steps != 0);
      }
    });
    if (done && steps > 0) {
      return steps;
    }
    if (done) {
      Send();
    }
  }
  mailbox_.reset();
  turn_.Give();
  return 0;
}

void MailboxService::End() {
  const bool done = Try([this] {
    BatchWorld::Access access(world_);
    access.EndSteps(request_.more_steps != 0);
    flat_.End(access, request_, response_);
  });
  if (done) {
    Send();
  }
  mailbox_.reset();
  turn_.Give();
}

std::shared_ptr<Mailbox> MailboxService::Present() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return present_;
}

void MailboxService::Replace(std::shared_ptr<Mailbox> mailbox) {
  const std::lock_guard<std::mutex> lock(mutex_);
  present_.swap(mailbox);
}

void MailboxService::Run() {
  while (!ended_ && !world_.HasBegun()) {
    std::this_thread::sleep_for(kLookAround);
  }
  world_.World()->Physics()->InitForThread();
  while (!ended_) {
    if (!IsThere()) {
      std::this_thread::sleep_for(kLookAround);
      continue;
    }
    if (world_.Steps().WatchGuest() || !Wait(kLookAround) || !turn_.Take()) {
      continue;
    }
    mailbox_ = Present();
    if (mailbox_ && mailbox_->HasRequest() && Try([this] {
          Decode();
          flat_.Exchange(request_, response_);
        })) {
      Send();
    }
    mailbox_.reset();
    turn_.Give();
  }
}

template <class Call>
bool MailboxService::Try(Call call) {
  std::string failure = "it failed";
  try {
    call();
    return true;
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {  // Gazebo throws what is no std::exception
  }
  const auto left_out = throttle_.Note(LogThrottle::Clock::now());
  if (left_out) {
    ROS_ERROR_STREAM("a request in the mailbox failed: " << failure << " (" << *left_out
                                                         << " failures before were not logged)");
  }
  mailbox_->Fail(failure);
  return false;
}

void MailboxService::Decode() {
  request_ = Request();
  response_ = Response();
  std::vector<std::uint8_t> bytes = mailbox_->Take();
  GuardedStream stream(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  stream.next(request_);
}

void MailboxService::Send() {
  Try([this] {
    const std::uint32_t size = ros::serialization::serializationLength(response_);
    ros::serialization::OStream stream(mailbox_->Reply(size), size);
    ros::serialization::serialize(stream, response_);
    mailbox_->Answer();
  });
}

}  // namespace gazebo_batch_state
