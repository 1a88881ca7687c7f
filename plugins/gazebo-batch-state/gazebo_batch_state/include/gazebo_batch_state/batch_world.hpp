// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/thread/recursive_mutex.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <gazebo/common/Event.hh>
#include <gazebo/physics/PhysicsTypes.hh>
#include <gazebo/transport/Node.hh>
#include <mutex>
#include <string>
#include <vector>

#include "gazebo_batch_state/entity_index.hpp"
#include "gazebo_batch_state/instant.hpp"
#include "gazebo_batch_state/joint_table.hpp"
#include "gazebo_batch_state/light_table.hpp"
#include "gazebo_batch_state/link_factors.hpp"
#include "gazebo_batch_state/lock_step.hpp"
#include "gazebo_batch_state/motion.hpp"
#include "gazebo_batch_state/sensor_table.hpp"
#include "gazebo_batch_state/visual_table.hpp"
#include "gazebo_batch_state/wrench_table.hpp"

namespace gazebo_batch_state {

/// A running world as tables, seen and changed between two physics steps.
class BatchWorld {
 public:
  /// Call it where the world does not run yet.
  explicit BatchWorld(gazebo::physics::WorldPtr world);

  BatchWorld(const BatchWorld&) = delete;
  BatchWorld& operator=(const BatchWorld&) = delete;

  /// The tables at one instant: while it lives, nothing in the world moves, comes or goes.
  class View {
   public:
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    const EntityIndex& Index() const { return world_.index_; }
    Instant Now() const { return world_.Now(); }

    /// How many rows a table has.
    std::size_t Rows(Table table) const { return Index().Names(table).Size(); }

    /// Where a model or link is and how it moves.
    State StateOf(Table table, Row row) const;

    /// The numbers of visuals or lights.
    const LookTable& Looks(Table table) const;

    /// Copies all rows of a table.
    ///
    /// \param numbers room for Rows(table) rows, see table_layout.hpp
    void Read(Table table, double* numbers) const;

   protected:
    friend class BatchWorld;
    explicit View(BatchWorld& world);

    BatchWorld& world_;
    std::unique_lock<boost::recursive_mutex> physics_;  // Gazebo removes models under it
  };

 private:
  /// Comes before View among the bases of Access: first between two steps, then look.
  struct BetweenSteps {
    explicit BetweenSteps(BatchWorld& world) : inside(world.steps_) {}
    LockStep::Inside inside;
  };

 public:
  /// A view that can change things, for the service thread.
  class Access : private BetweenSteps, public View {
   public:
    explicit Access(BatchWorld& world) : BetweenSteps(world), View(world) {}

    /// Tells those that render what was written.
    ~Access();

    /// Checks and sets one cell.
    ///
    /// \param cell as many numbers as the column has; a quaternion among them is normalised
    /// \return why it was refused, or nothing
    Reason Write(Table table, std::uint8_t column, Row row, double* cell);

    /// The factors of physics properties.
    LinkFactors& Factors() { return world_.factors_; }

    /// Sensors and contacts.
    SensorTable& Sensors() { return world_.sensors_; }

    /// Makes n physics steps, between BeginSteps and EndSteps.
    ///
    /// \throws std::runtime_error if the server ends or the world is stuck: a step is in progress
    ///   then, and this access is good for nothing any more
    void Advance(std::uint32_t n, bool more = false);

    /// What comes before the steps of a call.
    ///
    /// \param more whether a further call goes on with these steps: forces on links stay
    void BeginSteps(bool more);

    /// What comes after them.
    void EndSteps(bool more);

    /// Call it before models are added or removed.
    ///
    /// The world's loop goes through all models without the lock that guards their list, right
    /// after it has removed some, to wake them. This returns when it is not there, and cannot get
    /// there as long as this access lives.
    ///
    /// \throws std::runtime_error if the loop does not go on, or the server ends
    void KeepLoopOut();

    /// Takes up what this thread itself has added or removed.
    void Refresh() { world_.Refresh(); }

    /// Tells those that render that a model is gone.
    void PublishRemoval(const std::string& name, std::uint32_t id) {
      world_.visuals_.PublishRemoval(name, id);
    }

   private:
    /// Waits until the world's loop has gone round once or is parked.
    bool WaitForLoop(std::chrono::milliseconds patience) const;
  };

  /// Called at the end of every step, on the world's thread.
  using Observer = std::function<void(const View&, StepKind)>;
  void OnStep(Observer observer) { observers_.push_back(std::move(observer)); }

  /// Follows the world no longer. Call it where the world does not run.
  void Disconnect() { connections_.clear(); }

  /// Puts time and all models back to the beginning; how things look stays.
  void Reset();

  /// Whether its loop has begun. Until then Gazebo initialises it, and nobody else may touch it.
  bool HasBegun() const;

  /// To be called by whatever waits for the world or works on it for long.
  ///
  /// \throws std::runtime_error if the server ends
  void CheckGoesOn() const;

  LockStep& Steps() { return steps_; }
  const gazebo::physics::WorldPtr& World() const { return world_; }
  const gazebo::transport::NodePtr& Transport() const { return transport_; }

 private:
  void BeginStep();
  void EndStep();
  /// Takes the time of a step back and lets it change nothing.
  void BeginEmptyStep();
  void EndEmptyStep();
  void Refresh();
  Instant Now() const;
  void NoteTime();
  void SetPace(WorldControl::Pace pace);

  gazebo::physics::WorldPtr world_;
  gazebo::transport::NodePtr transport_;
  EntityIndex index_;
  Motion motion_;
  VisualTable visuals_;
  LightTable lights_;
  JointTable joints_;
  WrenchTable wrenches_;
  LinkFactors factors_;
  SensorTable sensors_;
  bool tick_goes_on_ = false;           // the next steps belong to those before
  std::atomic<bool> was_reset_{false};  // and the tables do not know yet
  LockStep steps_;
  bool is_empty_ = false;  // the step in progress, which nobody asked for
  bool has_physics_ = true;
  std::atomic<std::uint64_t> empty_steps_{0};
  double own_rate_ = 0.0;  // steps per second as described, 0: no limit
  bool own_pace_ = true;
  mutable std::mutex instant_mutex_;
  Instant instant_;
  std::vector<Observer> observers_;
  std::vector<gazebo::event::ConnectionPtr> connections_;
};

}  // namespace gazebo_batch_state
