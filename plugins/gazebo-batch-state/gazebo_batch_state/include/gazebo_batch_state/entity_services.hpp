// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/DeleteModels.h>
#include <gazebo_batch_state_msgs/SpawnModels.h>

#include <set>
#include <string>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/picture_library.hpp"
#include "gazebo_batch_state/shared_memory.hpp"
#include "gazebo_batch_state/spawner.hpp"

namespace gazebo_batch_state {

/// Models and lights that come and go: see SpawnModels.srv and DeleteModels.srv.
class EntityServices {
 public:
  EntityServices(BatchWorld& world, PictureLibrary& pictures, SharedMemory& shared)
      : world_(world), pictures_(pictures), shared_(shared), spawner_(world) {}

  void SpawnModels(gazebo_batch_state_msgs::SpawnModels::Request& request,
                   gazebo_batch_state_msgs::SpawnModels::Response& response);
  void DeleteModels(gazebo_batch_state_msgs::DeleteModels::Request& request,
                    gazebo_batch_state_msgs::DeleteModels::Response& response);

 private:
  void Spawn(const gazebo_batch_state_msgs::SpawnModels::Request& request,
             gazebo_batch_state_msgs::SpawnModels::Response& response);
  /// Spawns some models while the world stands still, from one on.
  ///
  /// \param spawned names of those before, of the same call
  /// \return the number of the next one
  std::size_t SpawnFrom(std::size_t number,
                        const gazebo_batch_state_msgs::SpawnModels::Request& request,
                        gazebo_batch_state_msgs::SpawnModels::Response& response,
                        std::set<std::string>& spawned);
  /// \param missing what Gazebo leaves out
  Reason Spawn(BatchWorld::Access& access, const gazebo_batch_state_msgs::SpawnRequest& request,
               std::string& missing);
  void WaitUntilGone(const std::string& light);

  BatchWorld& world_;
  PictureLibrary& pictures_;
  SharedMemory& shared_;
  DescriptionReader reader_;
  Spawner spawner_;
};

}  // namespace gazebo_batch_state
