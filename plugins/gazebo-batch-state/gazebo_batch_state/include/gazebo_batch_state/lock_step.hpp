// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace gazebo_batch_state {

/// What LockStep needs of a world. Both may be called from any thread.
struct WorldControl {
  std::function<bool()> is_paused;
  std::function<void(bool)> set_paused;
  /// Lets the world's loop run as fast as it can, or at its own pace again.
  ///
  /// A paused world without a pace would keep a core busy, so that gets one in any case.
  enum class Pace { kFast, kIdle, kOwn };
  std::function<void(Pace)> set_pace;
};

/// What a step is made for.
enum class StepKind : std::uint8_t {
  kFree,     ///< the world runs by itself
  kCounted,  ///< it was asked for, and more follow
  kLast      ///< it was asked for, and is the last
};

/// Somebody whose requests the world's thread answers itself while it is held: that takes two
/// switches of threads less than through the service thread.
class Guest {
 public:
  virtual ~Guest() = default;

  /// Whether there may be requests.
  virtual bool IsThere() const = 0;

  /// Waits for a request, for Ring, or until the time is over.
  ///
  /// \return whether there is a request
  virtual bool Wait(std::chrono::microseconds time) = 0;

  /// Lets Wait return. From any thread.
  virtual void Ring() = 0;

  /// Does what a request asks for before its steps.
  ///
  /// \return how many steps it asks for; 0: it is answered; nothing: somebody else answers
  virtual std::optional<std::uint32_t> Begin() = 0;

  /// Answers, after the steps.
  virtual void End() = 0;
};

/// Lets one thread act between the physics steps of another, and count those steps out.
///
/// The world's thread tells of each step, the service thread enters between two of them. Steps are
/// counted out without pausing: at the end of the last one the world's thread is held, and let go
/// on by the next call of Advance. It is held for as long as the service thread is inside, and for
/// a while (the patience) longer, in which it answers its guest; then it pauses its world and goes
/// round its loop as ever, so that nobody who needs the loop waits for long.
///
/// From the first Advance or Pause to the next Resume the world is controlled: it makes no other
/// steps than those that were asked for. It is paused also while it is held, so that whoever pauses
/// it for a moment and then restores what was finds it paused. Whoever lets it run is overruled; a
/// step that begins before that is noticed is made empty by the world's thread.
class LockStep {
 public:
  using Duration = std::chrono::microseconds;

  enum class Result {
    kDone,
    kStopped,  ///< the server ends
    kStuck     ///< no step was made for too long
  };

  explicit LockStep(WorldControl control, Duration patience = std::chrono::milliseconds(100),
                    Duration longest_step = std::chrono::seconds(30));

  LockStep(const LockStep&) = delete;
  LockStep& operator=(const LockStep&) = delete;

  /// Names the one whose requests the world's thread answers. Call it where the world does not run.
  void Invite(Guest* guest) { guest_ = guest; }

  // The world's thread

  /// A step is about to begin; waits while someone is inside.
  ///
  /// \return false: nobody asked for this step, so it must change nothing, not even the time
  bool OnStepBegin();

  /// A step has ended. May hold the thread, see above.
  void OnStepEnd();

  /// The world was let run, by whomever. From any thread, without Gazebo's locks.
  ///
  /// \return whether that was overruled
  bool OnUnpause();

  /// What the step in progress is.
  StepKind Kind() const {
    const std::uint32_t left = left_;
    return left == 0 ? StepKind::kFree : left == 1 ? StepKind::kLast : StepKind::kCounted;
  }

  // The service thread

  /// For as long as it lives no step is in progress and none begins.
  class Inside {
   public:
    explicit Inside(LockStep& owner);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    LockStep& owner_;
  };

  /// Makes exactly n steps, whatever others do to the pause meanwhile.
  ///
  /// Called inside, and inside again when it returns.
  Result Advance(std::uint32_t n);

  /// Pauses the world. Not to be called inside, like the two below.
  void Pause();

  /// Lets the world run freely at its own pace.
  void Resume();

  /// If the world is held, lets it pause and go round its loop.
  void Release();

  /// Whether the world's thread waits at a step, rather than being anywhere in its loop. Ask
  /// inside.
  bool IsParked() const;

  /// Waits until the world's thread does not answer the guest any more, or for a while; meanwhile
  /// others that pause the world are overruled. From a thread of the guest's own.
  ///
  /// \return whether the world's thread answers the guest
  bool WatchGuest();

  /// Makes an Advance return, and no further one wait. From any thread.
  void Stop() { stopped_ = true; }

  /// Whether it was stopped.
  bool IsStopped() const { return stopped_; }

 private:
  enum class Mode {
    kFree,      // runs or is paused as it likes
    kCounting,  // makes steps that were asked for
    kHeld,      // waits at the end of a step
    kPausing    // pauses itself after having been held
  };
  using Lock = std::unique_lock<std::mutex>;

  void Hold(Lock& lock);
  void SetControlled(bool controlled);

  /// Waits for a request of the guest, and begins with it.
  void ServeGuest(Lock& lock);

  /// Wakes the world's thread where it is held.
  void Wake();

  /// Calls Gazebo without the lock: Gazebo's own are held by the world's thread when it waits for
  /// it.
  template <class Call>
  void Control(Lock& lock, Call call);
  bool MayBegin() const { return mode_ == Mode::kCounting || inside_ == 0; }

  const WorldControl control_;
  Guest* guest_ = nullptr;
  const Duration patience_;
  const Duration longest_step_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint32_t> left_{0};  // counted steps to be made, with the one in progress

  mutable std::mutex mutex_;
  std::condition_variable world_;
  std::condition_variable service_;
  Mode mode_ = Mode::kFree;
  bool controlled_ = false;  // there are no steps but those asked for
  bool in_step_ = false;
  bool is_empty_ = false;  // the step in progress, which nobody asked for
  bool waits_to_begin_ = false;
  bool release_ = false;
  bool in_control_ = false;                        // the service thread waits for Gazebo
  bool with_guest_ = false;                        // the steps are the guest's
  int inside_ = 0;                                 // who is inside or waits to get there
  std::chrono::steady_clock::time_point left_at_;  // when the last one went
  std::uint64_t steps_ = 0;                        // made so far
};

}  // namespace gazebo_batch_state
