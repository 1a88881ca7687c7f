// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/signal_thread.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

namespace gazebo_batch_state {
namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};
constexpr char kEnd = 0;         // no signal has this number
constexpr int kLookAround = 20;  // ms

std::atomic<int> wake_pipe{-1};

void Wake(int signal) {
  const int before = errno;
  const char number = static_cast<char>(signal);
  [[maybe_unused]] const ssize_t written = write(wake_pipe, &number, 1);  // a full pipe wakes too
  errno = before;
}

}  // namespace

SignalThread::SignalThread(std::function<bool()> ready, std::function<void()> before)
    : ready_(std::move(ready)), before_(std::move(before)) {
  if (pipe2(pipe_.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "no pipe for signals");
  }
  thread_ = std::thread([this] { Run(); });
}

SignalThread::~SignalThread() {
  [[maybe_unused]] const ssize_t written = write(pipe_[1], &kEnd, 1);
  thread_.join();
  if (has_taken_over_) {
    for (std::size_t number = 0; number < kSignals.size(); ++number) {
      sigaction(kSignals[number], &old_[number], nullptr);
    }
    wake_pipe = -1;
  }
  close(pipe_[0]);
  close(pipe_[1]);
}

void SignalThread::Run() {
  while (!ready_()) {
    if (IsEnding(kLookAround)) {
      return;
    }
  }
  TakeOver();
  char signal = kEnd;
  while (true) {
    const ssize_t count = read(pipe_[0], &signal, 1);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count != 1 || signal == kEnd) {
      return;
    }
    if (before_) {
      std::exchange(before_, nullptr)();
    }
    for (std::size_t number = 0; number < kSignals.size(); ++number) {
      const auto handler = old_[number].sa_handler;
      if (signal == kSignals[number] && handler != SIG_IGN && handler != SIG_DFL) {
        handler(signal);
      }
    }
  }
}

bool SignalThread::IsEnding(int patience) const {
  struct pollfd readable = {pipe_[0], POLLIN, 0};
  return poll(&readable, 1, patience) > 0;
}

void SignalThread::TakeOver() {
  wake_pipe = pipe_[1];
  has_taken_over_ = true;
  struct sigaction ours {};
  ours.sa_handler = Wake;
  ours.sa_flags = SA_RESTART;
  sigemptyset(&ours.sa_mask);
  for (std::size_t number = 0; number < kSignals.size(); ++number) {
    sigaction(kSignals[number], &ours, &old_[number]);
  }
}

}  // namespace gazebo_batch_state
