// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/lock_step.hpp"

#include <utility>

namespace gazebo_batch_state {
namespace {

// How soon it is noticed that someone else paused the world, or that the server ends.
constexpr auto kLookAround = std::chrono::milliseconds(2);

// How long the world's thread keeps a lock of Gazebo's that the service thread waits for, and how
// soon it notices that the server ends.
constexpr auto kInTheWay = std::chrono::milliseconds(5);

}  // namespace

LockStep::LockStep(WorldControl control, Duration patience, Duration longest_step)
    : control_(std::move(control)), patience_(patience), longest_step_(longest_step) {}

bool LockStep::OnStepBegin() {
  Lock lock(mutex_);
  bool in_the_way = false;
  waits_to_begin_ = true;
  while (!MayBegin() && !in_the_way) {
    in_the_way = world_.wait_for(lock, kInTheWay) == std::cv_status::timeout && in_control_;
  }
  waits_to_begin_ = false;
  in_step_ = true;
  is_empty_ = controlled_ && mode_ != Mode::kCounting;
  return !is_empty_;
}

void LockStep::OnStepEnd() {
  Lock lock(mutex_);
  in_step_ = false;
  if (is_empty_) {
    is_empty_ = false;
    service_.notify_all();
    return;
  }
  ++steps_;
  if (mode_ == Mode::kCounting && --left_ == 0) {
    mode_ = Mode::kHeld;
    const bool was_guests = with_guest_;
    if (was_guests) {
      lock.unlock();
      guest_->End();
      lock.lock();
      with_guest_ = false;
      left_at_ = std::chrono::steady_clock::now();
    }
    if (!was_guests || inside_ > 0) {  // or each step of the guest's would wake who watches it
      service_.notify_all();
    }
    Hold(lock);
  } else if (mode_ == Mode::kFree && inside_ > 0) {
    service_.notify_all();
  }
}

bool LockStep::OnUnpause() {
  {
    const Lock lock(mutex_);
    if (!controlled_ || mode_ == Mode::kCounting || stopped_) {
      return false;
    }
  }
  control_.set_paused(true);
  return true;
}

void LockStep::Hold(Lock& lock) {
  lock.unlock();
  control_.set_paused(true);  // at once: this thread has the lock that Gazebo needs for it
  lock.lock();
  const auto start = std::chrono::steady_clock::now();
  while (mode_ == Mode::kHeld) {
    const auto now = std::chrono::steady_clock::now();
    const bool left_alone = inside_ == 0 && now >= left_at_ + patience_;
    const bool in_the_way = in_control_ && now >= start + kInTheWay;
    if (left_alone || in_the_way || (inside_ == 0 && (release_ || stopped_))) {
      mode_ = Mode::kPausing;
      lock.unlock();
      control_.set_pace(WorldControl::Pace::kIdle);
      lock.lock();
      mode_ = Mode::kFree;
      service_.notify_all();
    } else if (inside_ == 0 && guest_ != nullptr && guest_->IsThere()) {
      ServeGuest(lock);
    } else {
      world_.wait_for(lock, kInTheWay);
    }
  }
  if (mode_ == Mode::kCounting) {
    lock.unlock();
    control_.set_paused(false);
  }
}

void LockStep::ServeGuest(Lock& lock) {
  lock.unlock();
  const bool asked = guest_->Wait(kInTheWay);
  const std::optional<std::uint32_t> steps = asked ? guest_->Begin() : std::nullopt;
  lock.lock();
  if (steps) {
    left_at_ = std::chrono::steady_clock::now();
    if (*steps > 0) {
      left_ = *steps;
      with_guest_ = true;
      mode_ = Mode::kCounting;
    }
  } else if (asked && mode_ == Mode::kHeld) {
    world_.wait_for(lock, kLookAround);  // somebody else has the turn
  }
}

void LockStep::Wake() {
  world_.notify_all();
  if (guest_ != nullptr) {
    guest_->Ring();
  }
}

bool LockStep::IsParked() const {
  const Lock lock(mutex_);
  return mode_ == Mode::kHeld || waits_to_begin_;
}

bool LockStep::WatchGuest() {
  Lock lock(mutex_);
  service_.wait_for(lock, kInTheWay, [this] { return mode_ == Mode::kFree; });
  if (mode_ == Mode::kCounting && with_guest_ && control_.is_paused()) {
    Control(lock, [this] { control_.set_paused(false); });
  }
  return mode_ != Mode::kFree;
}

LockStep::Inside::Inside(LockStep& owner) : owner_(owner) {
  Lock lock(owner_.mutex_);
  ++owner_.inside_;
  owner_.service_.wait(lock, [this] { return !owner_.in_step_ && owner_.mode_ != Mode::kPausing; });
}

LockStep::Inside::~Inside() {
  const Lock lock(owner_.mutex_);
  --owner_.inside_;
  owner_.left_at_ = std::chrono::steady_clock::now();
  owner_.world_.notify_all();
}

LockStep::Result LockStep::Advance(std::uint32_t n) {
  if (n == 0) {
    return Result::kDone;
  }
  Lock lock(mutex_);
  left_ = n;
  controlled_ = true;
  const bool was_free = mode_ == Mode::kFree;
  const bool was_paused = control_.is_paused() && !waits_to_begin_;
  mode_ = Mode::kCounting;
  Wake();
  if (was_free) {
    Control(lock, [this, was_paused] {
      control_.set_pace(WorldControl::Pace::kFast);
      if (was_paused) {  // or the steps may be over by now, and the world paused again
        control_.set_paused(false);
      }
    });
  }
  std::uint64_t seen = steps_;
  auto progress = std::chrono::steady_clock::now();
  while (mode_ == Mode::kCounting || mode_ == Mode::kPausing || in_step_) {
    if (service_.wait_for(lock, kLookAround) == std::cv_status::no_timeout) {
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    if (steps_ != seen) {
      seen = steps_;
      progress = now;
    }
    if (stopped_ || now - progress > longest_step_) {
      left_ = 0;
      mode_ = Mode::kFree;
      return stopped_ ? Result::kStopped : Result::kStuck;
    }
    if (mode_ == Mode::kCounting && control_.is_paused()) {
      Control(lock, [this] { control_.set_paused(false); });
    }
  }
  return Result::kDone;
}

template <class Call>
void LockStep::Control(Lock& lock, Call call) {
  in_control_ = true;
  lock.unlock();
  call();
  lock.lock();
  in_control_ = false;
}

void LockStep::Pause() {
  Release();
  SetControlled(true);
  control_.set_paused(true);
  control_.set_pace(WorldControl::Pace::kIdle);
}

void LockStep::Resume() {
  Release();
  SetControlled(false);
  control_.set_pace(WorldControl::Pace::kOwn);
  control_.set_paused(false);
}

void LockStep::SetControlled(bool controlled) {
  const Lock lock(mutex_);
  controlled_ = controlled;
}

void LockStep::Release() {
  Lock lock(mutex_);
  if (mode_ == Mode::kHeld) {
    release_ = true;
    Wake();
    service_.wait(lock, [this] { return mode_ == Mode::kFree; });
    release_ = false;
  }
}

}  // namespace gazebo_batch_state
