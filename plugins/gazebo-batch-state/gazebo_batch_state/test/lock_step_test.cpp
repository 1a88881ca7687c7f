// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/lock_step.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

namespace gazebo_batch_state {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// A loop like that of gazebo::physics::World, without a world.
class Loop {
 public:
  explicit Loop(bool paused, LockStep::Duration longest_step = std::chrono::seconds(5),
                LockStep::Duration patience = milliseconds(5))
      : steps({[this] { return paused_.load(); }, [this](bool value) { SetPaused(value); },
               [this](WorldControl::Pace value) { pace = value; }},
              patience, longest_step),
        paused_(paused) {}

  ~Loop() {
    steps.Stop();
    ended_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  void Start() {
    thread_ = std::thread([this] {
      while (!ended_) {
        const std::lock_guard<std::recursive_mutex> lock(update_mutex_);
        if (!paused_) {
          if (steps.OnStepBegin()) {
            in_step = true;
            ++made;
            in_step = false;
          } else {
            SetPaused(true);
          }
          steps.OnStepEnd();
        }
        ++rounds;
      }
    });
  }

  void SetPaused(bool paused) {
    if (paused_ == paused && !stubborn) {
      return;
    }
    {
      const std::lock_guard<std::recursive_mutex> lock(update_mutex_);
      paused_ = paused;
    }
    if (!paused) {
      steps.OnUnpause();
    }
  }

  bool Paused() const { return paused_; }

  template <class Condition>
  static bool Eventually(Condition condition) {
    const auto deadline = steady_clock::now() + std::chrono::seconds(10);
    while (!condition()) {
      if (steady_clock::now() > deadline) {
        return false;
      }
      std::this_thread::yield();
    }
    return true;
  }

  LockStep steps;
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> rounds{0};
  std::atomic<bool> in_step{false};
  std::atomic<bool> stubborn{false};  // takes the mutex even where nothing is to be changed
  std::atomic<WorldControl::Pace> pace{WorldControl::Pace::kOwn};

 private:
  std::atomic<bool> paused_;
  std::atomic<bool> ended_{false};
  std::recursive_mutex update_mutex_;
  std::thread thread_;
};

TEST(LockStep, APausedWorldMakesExactlyTheStepsAskedFor) {
  Loop loop(true);
  loop.Start();
  std::uint64_t expected = 0;
  for (const std::uint32_t n : {1U, 10U, 1U, 100U, 1000U}) {
    LockStep::Inside inside(loop.steps);
    EXPECT_EQ(loop.made, expected);
    EXPECT_EQ(loop.steps.Advance(n), LockStep::Result::kDone);
    expected += n;
    EXPECT_EQ(loop.made, expected);
  }
}

TEST(LockStep, ZeroStepsAreNone) {
  Loop loop(true);
  loop.Start();
  LockStep::Inside inside(loop.steps);
  EXPECT_EQ(loop.steps.Advance(0), LockStep::Result::kDone);
  EXPECT_EQ(loop.made, 0U);
}

TEST(LockStep, ARunningWorldStopsAfterTheStepsAskedFor) {
  Loop loop(false);
  loop.Start();
  ASSERT_TRUE(Loop::Eventually([&loop] { return loop.made > 100; }));
  {
    LockStep::Inside inside(loop.steps);
    const std::uint64_t before = loop.made;
    EXPECT_EQ(loop.steps.Advance(7), LockStep::Result::kDone);
    EXPECT_EQ(loop.made, before + 7);
  }
  ASSERT_TRUE(Loop::Eventually([&loop] { return loop.Paused(); }));
}

TEST(LockStep, NothingMovesWhileSomeoneIsInside) {
  Loop loop(false);
  loop.Start();
  for (int visit = 0; visit < 200; ++visit) {
    LockStep::Inside inside(loop.steps);
    const std::uint64_t before = loop.made;
    for (int look = 0; look < 100; ++look) {
      ASSERT_FALSE(loop.in_step);
      ASSERT_EQ(loop.made, before);
    }
  }
}

TEST(LockStep, AWorldThatWaitsAtAStepIsParked) {
  Loop running(false);
  running.Start();
  {
    LockStep::Inside inside(running.steps);
    EXPECT_TRUE(Loop::Eventually([&running] { return running.steps.IsParked(); }));
    EXPECT_EQ(running.steps.Advance(1), LockStep::Result::kDone);
    EXPECT_TRUE(running.steps.IsParked());  // held
  }
  Loop paused(true);
  paused.Start();
  LockStep::Inside inside(paused.steps);
  const std::uint64_t before = paused.rounds;
  ASSERT_TRUE(Loop::Eventually([&paused, before] { return paused.rounds > before + 10; }));
  EXPECT_FALSE(paused.steps.IsParked());
}

TEST(LockStep, AFastWorldDoesNotKeepAnyoneOut) {
  Loop loop(false);
  loop.Start();
  const auto start = steady_clock::now();
  for (int visit = 0; visit < 1000; ++visit) {
    LockStep::Inside inside(loop.steps);
  }
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(LockStep, AHeldWorldPausesItselfWhenNobodyComes) {
  Loop loop(true);
  loop.Start();
  {
    LockStep::Inside inside(loop.steps);
    loop.steps.Advance(1);
    EXPECT_TRUE(Loop::Eventually([&loop] { return loop.Paused(); }));
    EXPECT_EQ(loop.pace, WorldControl::Pace::kFast);
  }
  EXPECT_TRUE(Loop::Eventually([&loop] { return loop.pace == WorldControl::Pace::kIdle; }));
  const std::uint64_t rounds = loop.rounds;
  EXPECT_TRUE(Loop::Eventually([&loop, rounds] { return loop.rounds > rounds + 10; }));
  EXPECT_EQ(loop.made, 1U);
}

TEST(LockStep, ReleaseLetsTheLoopGoRoundAtOnce) {
  Loop loop(true);
  loop.Start();
  {
    LockStep::Inside inside(loop.steps);
    loop.steps.Advance(3);
  }
  loop.steps.Release();
  EXPECT_TRUE(loop.Paused());
  EXPECT_EQ(loop.made, 3U);
}

TEST(LockStep, ResumeLetsTheWorldRunAtItsOwnPaceAndPauseStopsIt) {
  Loop loop(true);
  loop.Start();
  {
    LockStep::Inside inside(loop.steps);
    loop.steps.Advance(1);
  }
  loop.steps.Resume();
  EXPECT_EQ(loop.pace, WorldControl::Pace::kOwn);
  EXPECT_TRUE(Loop::Eventually([&loop] { return loop.made > 100; }));
  loop.steps.Pause();
  const std::uint64_t made = loop.made;
  const std::uint64_t rounds = loop.rounds;
  EXPECT_TRUE(Loop::Eventually([&loop, rounds] { return loop.rounds > rounds + 10; }));
  EXPECT_EQ(loop.made, made);
}

TEST(LockStep, CountsAreExactWhateverOthersDoToThePause) {
  Loop loop(true);
  loop.Start();
  std::atomic<bool> done{false};
  std::thread meddler([&loop, &done] {
    for (bool paused = false; !done; paused = !paused) {
      loop.SetPaused(paused);
      std::this_thread::yield();
    }
  });
  for (int call = 0; call < 1000; ++call) {
    const LockStep::Inside inside(loop.steps);
    const std::uint64_t before = loop.made;
    const auto n = static_cast<std::uint32_t>(1 + call % 5);
    EXPECT_EQ(loop.steps.Advance(n), LockStep::Result::kDone);
    EXPECT_EQ(loop.made, before + n);
  }
  const std::uint64_t made = loop.made;
  const std::uint64_t rounds = loop.rounds;
  EXPECT_TRUE(Loop::Eventually([&loop, rounds] { return loop.rounds > rounds + 1000; }));
  EXPECT_EQ(loop.made, made);  // nor does it go on when nobody asks
  done = true;
  meddler.join();
}

TEST(LockStep, AHeldWorldIsPausedForWhoeverRestoresThat) {
  Loop loop(true, std::chrono::seconds(5), std::chrono::seconds(5));
  loop.Start();
  {
    LockStep::Inside inside(loop.steps);
    loop.steps.Advance(1);
  }
  EXPECT_TRUE(Loop::Eventually([&loop] { return loop.Paused(); }));
  loop.SetPaused(true);  // returns at once, though the world's thread has the lock
  loop.SetPaused(loop.Paused());
  EXPECT_EQ(loop.made, 1U);
}

TEST(LockStep, NobodyWaitsForeverWhenOthersLetTheWorldGoOnAtTheSameMoment) {
  Loop loop(true);
  // As if the world had been let go on by others after it was found to be paused: the service
  // thread waits for the mutex that the world's thread has while it is held.
  loop.stubborn = true;
  loop.Start();
  loop.SetPaused(false);
  for (int call = 0; call < 20; ++call) {
    const LockStep::Inside inside(loop.steps);
    const std::uint64_t before = loop.made;
    EXPECT_EQ(loop.steps.Advance(1), LockStep::Result::kDone);
    EXPECT_EQ(loop.made, before + 1);
  }
}

/// Asks for steps from a thread of its own.
class Asker : public Guest {
 public:
  explicit Asker(Loop& loop) : loop_(loop) { loop.steps.Invite(this); }

  /// Returns how many steps had been made when they were answered.
  std::uint64_t Ask(std::uint32_t n) {
    wanted_ = static_cast<int>(n);
    EXPECT_TRUE(Loop::Eventually([this] {
      loop_.steps.WatchGuest();
      return wanted_ < 0;
    }));
    return answered_at_;
  }

  bool IsThere() const override { return true; }
  bool Wait(std::chrono::microseconds /*time*/) override { return wanted_ >= 0; }
  void Ring() override {}
  std::optional<std::uint32_t> Begin() override {
    if (busy) {
      return {};
    }
    const LockStep::Inside inside(loop_.steps);
    const int wanted = wanted_;
    if (wanted == 0) {
      End();
    }
    return static_cast<std::uint32_t>(wanted);
  }
  void End() override {
    answered_at_ = loop_.made.load();
    wanted_ = -1;
  }

  std::atomic<bool> busy{false};

 private:
  Loop& loop_;
  std::atomic<int> wanted_{-1};
  std::atomic<std::uint64_t> answered_at_{0};
};

/// Makes one step, after which the world is held.
void HoldWorld(Loop& loop) {
  const LockStep::Inside inside(loop.steps);
  loop.steps.Advance(1);
}

TEST(LockStep, AHeldWorldAnswersItsGuestExactly) {
  Loop loop(true, std::chrono::seconds(5), std::chrono::seconds(5));
  Asker asker(loop);
  loop.Start();
  HoldWorld(loop);
  std::uint64_t expected = 1;
  for (const std::uint32_t n : {1U, 10U, 0U, 100U}) {
    expected += n;
    EXPECT_EQ(asker.Ask(n), expected);
    EXPECT_EQ(loop.made, expected);
  }
}

TEST(LockStep, TheGuestsStepsAreMadeAlsoWhereOthersPauseTheWorld) {
  Loop loop(true, std::chrono::seconds(5), std::chrono::seconds(5));
  Asker asker(loop);
  loop.Start();
  HoldWorld(loop);
  std::atomic<bool> done{false};
  std::thread meddler([&loop, &done] {
    while (!done) {
      loop.SetPaused(true);
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(asker.Ask(50), 51U);
  done = true;
  meddler.join();
}

TEST(LockStep, AServiceGetsInWhileTheGuestWaitsForItsTurn) {
  Loop loop(true, std::chrono::seconds(5), std::chrono::seconds(5));
  Asker asker(loop);
  loop.Start();
  HoldWorld(loop);
  asker.busy = true;
  std::thread guest([&asker] { EXPECT_EQ(asker.Ask(5), 8U); });
  for (int call = 0; call < 2; ++call) {
    HoldWorld(loop);
  }
  EXPECT_EQ(loop.made, 3U);
  asker.busy = false;
  guest.join();
}

TEST(LockStep, StopEndsAWaitThatWouldNotEnd) {
  Loop loop(true);  // its thread is never started
  std::thread stopper([&loop] { loop.steps.Stop(); });
  {
    LockStep::Inside inside(loop.steps);
    EXPECT_EQ(loop.steps.Advance(1), LockStep::Result::kStopped);
  }
  stopper.join();
}

TEST(LockStep, AWorldThatMakesNoStepsIsTold) {
  Loop loop(true, milliseconds(20));
  LockStep::Inside inside(loop.steps);
  EXPECT_EQ(loop.steps.Advance(1), LockStep::Result::kStuck);
}

TEST(LockStep, TellsTheLastOfCountedStepsFromTheOthers) {
  LockStep steps(
      {[] { return false; }, [](bool /*paused*/) {}, [](WorldControl::Pace /*pace*/) {}});
  EXPECT_EQ(steps.Kind(), StepKind::kFree);
}

}  // namespace
}  // namespace gazebo_batch_state
