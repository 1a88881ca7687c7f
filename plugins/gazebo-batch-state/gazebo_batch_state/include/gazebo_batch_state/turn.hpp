// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace gazebo_batch_state {

/// Lets in one caller at a time. Unlike a mutex it may be given back by another thread.
class Turn {
 public:
  /// Waits until it is free.
  ///
  /// \return false if it was closed, and the caller has not got it
  bool Take() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiting_;
    given_.wait(lock, [this] { return closed_ || !taken_; });
    --waiting_;
    taken_ = taken_ || !closed_;
    return !closed_;
  }

  /// Takes it if it is free and nobody waits for it, who would else never get it.
  bool TryTake() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool free = !closed_ && !taken_ && waiting_ == 0;
    taken_ = taken_ || free;
    return free;
  }

  void Give() {
    const std::lock_guard<std::mutex> lock(mutex_);
    taken_ = false;
    given_.notify_one();
  }

  /// Lets nobody in any more, and nobody wait.
  void Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    given_.notify_all();
  }

  /// Has it for as long as it lives.
  class Hold {
   public:
    /// \throws std::runtime_error if it is closed
    explicit Hold(Turn& turn) : turn_(turn) {
      if (!turn_.Take()) {
        throw std::runtime_error("the server ends");
      }
    }
    ~Hold() { turn_.Give(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Turn& turn_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  int waiting_ = 0;
  bool taken_ = false;
  bool closed_ = false;
};

}  // namespace gazebo_batch_state
