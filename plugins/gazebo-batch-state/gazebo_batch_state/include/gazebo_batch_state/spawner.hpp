// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/description.hpp"

namespace gazebo_batch_state {

/// Adds and removes models and lights between two physics steps, at once.
///
/// Gazebo's factory topic is worked off every 200 ms by the world's thread; here entities are made
/// with the same code, but on the thread that calls it.
///
/// Whatever is removed in Gazebo asks, on the topic ~/request, for what has its name to be removed:
/// that tells those that render, but 200 to 400 ms later it also hits whatever has that name by
/// then. So models get a name that nothing else will have before they go; with lights, which those
/// that render know by nothing but their names, a name rests for a while.
class Spawner {
 public:
  explicit Spawner(BatchWorld& world) : world_(world) {}

  /// Waits, if a light with this name has just been removed. Not to be called with access to the
  /// world: it is the loop of the world's thread that makes the name free.
  void WaitUntilFree(const std::string& name);

  /// Adds an entity at a pose in the world frame. The caller then refreshes its access.
  ///
  /// \return why it could not be added: then nothing of it is left
  Reason Spawn(const Description& description, const Pose3d& pose);

  /// Removes a top-level model. The caller then refreshes its access.
  void DeleteModel(BatchWorld::Access& access, Row row);

  /// Asks Gazebo to remove a light of the world, which it does within half a second.
  void RequestLightDeletion(const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;

  void Remove(const gazebo::physics::BasePtr& entity);
  /// Removes what Gazebo made of a model before it failed.
  void RemoveLeftover(const std::string& name);

  BatchWorld& world_;
  sdf::ElementPtr world_sdf_;  // what saves the world has all its models and lights from
  std::uint64_t removed_ = 0;
  std::map<std::string, Clock::time_point> rests_until_;  // names of lights
};

}  // namespace gazebo_batch_state
