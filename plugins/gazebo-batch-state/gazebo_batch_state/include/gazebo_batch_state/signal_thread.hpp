// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <thread>

namespace gazebo_batch_state {

/// Has SIGINT and SIGTERM handled in a thread of its own.
///
/// Gazebo ends all within its signal handler, which interrupts any thread anywhere: in the middle
/// of malloc, say, and then whoever is waited for there waits for the heap. Here the handler only
/// wakes a thread, and that calls Gazebo's. There can be one at a time.
class SignalThread {
 public:
  /// \param ready whether the handlers to take over from are there; it is asked until they are
  /// \param before called once, ahead of the first of them
  SignalThread(std::function<bool()> ready, std::function<void()> before);

  /// Gives the signals back.
  ~SignalThread();

  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  void Run();
  bool IsEnding(int patience) const;
  void TakeOver();

  std::function<bool()> ready_;
  std::function<void()> before_;
  std::array<int, 2> pipe_{};
  std::array<struct sigaction, 2> old_{};
  bool has_taken_over_ = false;
  std::thread thread_;
};

}  // namespace gazebo_batch_state
