// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/batch_world.hpp"

#include <ros/console.h>

#include <array>
#include <chrono>
#include <gazebo/common/Events.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/PhysicsEngine.hh>
#include <gazebo/physics/World.hh>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "gazebo_batch_state/pose_cell.hpp"

namespace gazebo_batch_state {
namespace {

using gazebo::event::Events;

constexpr double kIdleRate = 1000.0;  // loops per second of a paused world that has no limit

// How often the world's loop is looked at, how long it may take for one round while nothing keeps
// it from that, and after how many rounds that it did not make it is given up.
constexpr auto kGlance = std::chrono::microseconds(100);
constexpr auto kRound = std::chrono::milliseconds(20);
constexpr int kMostRounds = 1000;

/// Where generations begin: below 2^52, so that they stay exact as float64.
std::uint64_t FirstGeneration() {
  std::random_device random;
  const std::uint64_t high = random();
  return ((high << 20U) ^ random()) & ((std::uint64_t{1} << 51U) - 1U);
}

gazebo::transport::NodePtr MakeNode(const std::string& world) {
  gazebo::transport::NodePtr node(new gazebo::transport::Node());
  node->Init(world);
  return node;
}

Twist TwistOf(const double* cell) {
  return {{cell[0], cell[1], cell[2]}, {cell[3], cell[4], cell[5]}};
}

/// Copies a state and sets the rest of its row to 0.
void CopyState(const State& state, double* row, std::size_t width) {
  const auto& [linear, angular] = state.twist;
  const std::array<double, 6> twist = {linear.X(),  linear.Y(),  linear.Z(),
                                       angular.X(), angular.Y(), angular.Z()};
  WritePose(state.pose, row);
  std::fill(std::copy(twist.begin(), twist.end(), row + 7), row + width, 0.0);
}

/// Fills in where the centres of mass of links are.
void ReadCentres(const EntityIndex& index, double* numbers) {
  constexpr const Columns& columns = Layout(Table::kLinks);
  double* cell = numbers + columns.column[kCenterOfMass].offset;
  for (const LinkEntity& entity : index.Links()) {
    const Vector3d centre = entity.link->WorldCoGPose().Pos();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cell[axis] = centre[axis];
    }
    cell += columns.width;
  }
}

}  // namespace

BatchWorld::BatchWorld(gazebo::physics::WorldPtr world)
    : world_(std::move(world)),
      transport_(MakeNode(world_->Name())),
      index_(world_, FirstGeneration()),
      motion_(index_),
      visuals_(transport_),
      lights_(transport_),
      joints_(index_, motion_),
      wrenches_(index_),
      factors_(index_, joints_),
      sensors_(world_, index_),
      steps_({[this] { return world_->IsPaused(); },
              [this](bool paused) { world_->SetPaused(paused); },
              [this](WorldControl::Pace pace) { SetPace(pace); }}) {
  visuals_.Follow(index_);
  lights_.Follow(index_);
  joints_.Follow();
  sensors_.Follow();
  NoteTime();
  instant_.iterations = 0;  // Gazebo sets its own number when the loop begins, and not before
  connections_ = {
      Events::ConnectWorldUpdateBegin([this](const auto& /*info*/) { BeginStep(); }),
      Events::ConnectBeforePhysicsUpdate([this](const auto& /*info*/) {
        if (!is_empty_ && sensors_.Contacts().IsWatched()) {
          sensors_.Contacts().BeforePhysics();
        }
      }),
      Events::ConnectWorldUpdateEnd([this] { EndStep(); }),
      Events::ConnectPause([this](bool paused) {
        if (!paused && steps_.OnUnpause()) {
          ROS_WARN_ONCE(
              "somebody lets the world run, which is in lock-step: overruled, now and later; "
              "/gazebo_batch_state/unpause lets it run");
        }
      }),
      Events::ConnectTimeReset([this] {
        empty_steps_ = 0;
        NoteTime();
      }),
      Events::ConnectWorldReset([this] { was_reset_ = true; }),
  };
}

void BatchWorld::BeginStep() {
  is_empty_ = !steps_.OnStepBegin();
  if (is_empty_) {
    BeginEmptyStep();
    return;
  }
  if (!joints_.IsIdle() || !wrenches_.IsIdle() || !factors_.IsIdle()) {
    const View view(*this);  // or a model might have been removed
    joints_.Drive(view.Now().timestep);
    wrenches_.Apply();
    factors_.Apply(world_->Gravity());
  }
  if (!sensors_.IsIdle()) {
    const View view(*this);
    if (steps_.Kind() == StepKind::kFree) {
      sensors_.BeginTick();
    }
    sensors_.BeginStep();
  }
}

void BatchWorld::BeginEmptyStep() {
  world_->SetPaused(true);  // this thread has the lock for it
  world_->SetSimTime(world_->SimTime() - gazebo::common::Time(world_->Physics()->GetMaxStepSize()));
  has_physics_ = world_->PhysicsEnabled();
  world_->SetPhysicsEnabled(false);
  ++empty_steps_;
}

void BatchWorld::EndEmptyStep() {
  world_->SetPhysicsEnabled(has_physics_);
  const View view(*this);
  for (const LinkEntity& entity : index_.Links()) {  // or other plugins' forces would act twice
    if (!entity.is_static && entity.link->WorldForce() != Vector3d::Zero) {
      entity.link->SetForce(Vector3d::Zero);
    }
    if (!entity.is_static && entity.link->WorldTorque() != Vector3d::Zero) {
      entity.link->SetTorque(Vector3d::Zero);
    }
  }
}

void BatchWorld::EndStep() {
  if (is_empty_) {
    EndEmptyStep();
    steps_.OnStepEnd();
    return;
  }
  NoteTime();
  if (steps_.Kind() == StepKind::kFree) {
    wrenches_.Clear();
  }
  if (!joints_.IsIdle()) {
    const View view(*this);
    joints_.EndStep();
  }
  if (!sensors_.IsIdle()) {
    const View view(*this);
    sensors_.EndStep(view.Now().timestep);
  }
  if (!observers_.empty()) {
    const View view(*this);
    const StepKind kind = steps_.Kind();
    for (const Observer& observer : observers_) {
      observer(view, kind);
    }
  }
  steps_.OnStepEnd();
}

void BatchWorld::NoteTime() {
  const gazebo::common::Time time = world_->SimTime();
  const std::lock_guard<std::mutex> lock(instant_mutex_);
  instant_.iterations = world_->Iterations() - empty_steps_;
  instant_.seconds = static_cast<std::uint32_t>(time.sec);
  instant_.nanoseconds = static_cast<std::uint32_t>(time.nsec);
}

Instant BatchWorld::Now() const {
  const std::lock_guard<std::mutex> lock(instant_mutex_);
  Instant now = instant_;
  now.timestep = world_->Physics()->GetMaxStepSize();
  return now;
}

void BatchWorld::Refresh() {
  if (index_.Update()) {
    visuals_.Follow(index_);
    lights_.Follow(index_);
    joints_.Follow();
    wrenches_.Follow();
    factors_.Follow();
    sensors_.Follow();
  }
  if (was_reset_.exchange(false)) {
    factors_.Reset();
    joints_.Reset();
    wrenches_.Clear();
    sensors_.Reset();
  }
  visuals_.Receive(index_);
  lights_.Receive(index_);
}

void BatchWorld::SetPace(WorldControl::Pace pace) {
  const auto physics = world_->Physics();
  if (own_pace_) {
    own_rate_ = physics->GetRealTimeUpdateRate();
  }
  own_pace_ = pace == WorldControl::Pace::kOwn;
  switch (pace) {
    case WorldControl::Pace::kFast:
      physics->SetRealTimeUpdateRate(0.0);
      return;
    case WorldControl::Pace::kIdle:
      physics->SetRealTimeUpdateRate(own_rate_ > 0.0 ? own_rate_ : kIdleRate);
      return;
    case WorldControl::Pace::kOwn:
      physics->SetRealTimeUpdateRate(own_rate_);
      return;
  }
}

void BatchWorld::Reset() {
  steps_.Release();  // while held, the world's thread has the lock that the reset needs
  world_->Reset();
}

bool BatchWorld::HasBegun() const {
  const std::lock_guard<std::mutex> lock(instant_mutex_);
  return instant_.iterations > 0 || world_->PauseTime() > gazebo::common::Time::Zero;
}

void BatchWorld::CheckGoesOn() const {
  if (steps_.IsStopped()) {
    throw std::runtime_error("the server ends");
  }
}

BatchWorld::View::View(BatchWorld& world)
    : world_(world), physics_(*world.world_->Physics()->GetPhysicsUpdateMutex()) {
  world_.Refresh();
}

State BatchWorld::View::StateOf(Table table, Row row) const {
  return table == Table::kModels ? world_.motion_.Model(row) : world_.motion_.Link(row);
}

const LookTable& BatchWorld::View::Looks(Table table) const {
  return table == Table::kVisuals ? world_.visuals_.Numbers() : world_.lights_.Numbers();
}

void BatchWorld::View::Read(Table table, double* numbers) const {
  if (table == Table::kModels || table == Table::kLinks) {
    const auto rows = static_cast<Row>(Rows(table));
    const std::size_t width = Layout(table).width;
    for (Row row = 0; row < rows; ++row) {
      CopyState(StateOf(table, row), numbers + row * width, width);
    }
    if (table == Table::kLinks) {
      ReadCentres(Index(), numbers);
      world_.wrenches_.Read(numbers);
    }
  } else if (table == Table::kJoints) {
    world_.joints_.Read(numbers);
  } else {
    const auto& looks = Looks(table).Numbers();
    std::copy(looks.begin(), looks.end(), numbers);
  }
}

BatchWorld::Access::~Access() {
  if (physics_) {
    world_.visuals_.Publish(world_.index_);
    world_.lights_.Publish(world_.index_);
  }
}

Reason BatchWorld::Access::Write(Table table, std::uint8_t column, Row row, double* cell) {
  if (row >= Rows(table)) {
    return "there is no row " + std::to_string(row) + ", only " + std::to_string(Rows(table));
  }
  Reason reason = CheckCell(Layout(table).column[column], cell);
  if (!reason.empty()) {
    return reason;
  }
  const Motion& motion = world_.motion_;
  switch (table) {
    case Table::kModels:
      return column == kPose ? motion.SetModelPose(row, PoseOf(cell))
                             : motion.SetModelTwist(row, TwistOf(cell));
    case Table::kLinks:
      if (column == kForce || column == kTorque) {
        return world_.wrenches_.Write(row, column, cell);
      }
      return column == kPose ? motion.SetLinkPose(row, PoseOf(cell))
                             : motion.SetLinkTwist(row, TwistOf(cell));
    case Table::kVisuals:
      world_.visuals_.Set(row, column, cell);
      return {};
    case Table::kLights:
      world_.lights_.Set(row, column, cell);
      return {};
    case Table::kJoints:
      return world_.joints_.Write(row, column, *cell);
  }
  return {};
}

void BatchWorld::Access::BeginSteps(bool more) {
  if (!world_.tick_goes_on_) {
    world_.sensors_.BeginTick();
  }
  world_.tick_goes_on_ = more;
}

void BatchWorld::Access::EndSteps(bool more) {
  if (!more) {
    world_.wrenches_.Clear();
  }
}

void BatchWorld::Access::KeepLoopOut() {
  // Before it wakes the models, the loop removes at least one, and for that it needs the lock that
  // this access has: so a loop that has gone round meanwhile is not there. A loop that does not go
  // round may wait for the lock.
  for (int round = 0; !WaitForLoop(kRound); ++round) {
    world_.CheckGoesOn();
    if (round == kMostRounds) {
      throw std::runtime_error("the world's loop does not go on");
    }
    physics_.unlock();
    WaitForLoop(kRound);
    physics_.lock();
  }
  Refresh();
}

bool BatchWorld::Access::WaitForLoop(std::chrono::milliseconds patience) const {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const gazebo::common::Time before = world_.world_->PauseTime();  // grows with every round
  while (!world_.steps_.IsParked() && world_.world_->PauseTime() == before) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(kGlance);
  }
  return true;
}

void BatchWorld::Access::Advance(std::uint32_t n, bool more) {
  if (n == 0) {
    return;
  }
  BeginSteps(more);
  physics_.unlock();
  const LockStep::Result result = world_.steps_.Advance(n);
  world_.CheckGoesOn();
  if (result == LockStep::Result::kStuck) {
    throw std::runtime_error("the world makes no steps");
  }
  physics_.lock();
  Refresh();
  EndSteps(more);
}

}  // namespace gazebo_batch_state
