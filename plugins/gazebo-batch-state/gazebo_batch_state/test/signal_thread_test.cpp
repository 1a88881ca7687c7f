// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/signal_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace gazebo_batch_state {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);

std::promise<pthread_t>* handled_in = nullptr;
std::atomic<int> handled{0};

void Handle(int /*signal*/) {
  if (++handled == 1) {
    handled_in->set_value(pthread_self());
  }
}

class SignalThreadTest : public testing::TestWithParam<int> {
 protected:
  SignalThreadTest() {
    handled = 0;
    handled_in = &promise_;
    struct sigaction action {};
    action.sa_handler = Handle;
    sigaction(GetParam(), &action, &old_);
  }

  ~SignalThreadTest() override { sigaction(GetParam(), &old_, nullptr); }

  std::promise<pthread_t> promise_;

 private:
  struct sigaction old_ {};
};

bool HandlesByItself(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == Handle;
}

TEST_P(SignalThreadTest, TheHandlerIsCalledByAnotherThreadAfterWhatComesBefore) {
  std::atomic<int> called_before{0};
  SignalThread thread([] { return true; }, [&called_before] { called_before += 1 + handled; });
  while (HandlesByItself(GetParam())) {
    std::this_thread::yield();
  }
  raise(GetParam());
  auto future = promise_.get_future();
  ASSERT_EQ(future.wait_for(kPatience), std::future_status::ready);
  EXPECT_FALSE(pthread_equal(future.get(), pthread_self()));
  EXPECT_EQ(called_before, 1);
}

TEST_P(SignalThreadTest, TheSignalIsGivenBack) {
  {
    SignalThread thread([] { return true; }, [] {});
    while (HandlesByItself(GetParam())) {
      std::this_thread::yield();
    }
  }
  EXPECT_TRUE(HandlesByItself(GetParam()));
  raise(GetParam());
  EXPECT_TRUE(pthread_equal(promise_.get_future().get(), pthread_self()));
}

TEST_P(SignalThreadTest, NothingIsTakenBeforeItIsReady) {
  std::atomic<int> asked{0};
  {
    SignalThread thread([&asked] { return ++asked < 0; }, [] {});
    while (asked < 2) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(HandlesByItself(GetParam()));
  }
  EXPECT_TRUE(HandlesByItself(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalThreadTest, testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace gazebo_batch_state
