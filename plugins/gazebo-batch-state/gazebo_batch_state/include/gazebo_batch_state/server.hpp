// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/callback_queue.h>
#include <ros/node_handle.h>

#include <atomic>
#include <gazebo/physics/PhysicsTypes.hh>
#include <thread>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/clock_topic.hpp"
#include "gazebo_batch_state/entity_services.hpp"
#include "gazebo_batch_state/flat_services.hpp"
#include "gazebo_batch_state/mailbox_service.hpp"
#include "gazebo_batch_state/picture_library.hpp"
#include "gazebo_batch_state/service_table.hpp"
#include "gazebo_batch_state/services.hpp"
#include "gazebo_batch_state/shared_memory.hpp"
#include "gazebo_batch_state/state_topics.hpp"
#include "gazebo_batch_state/turn.hpp"

namespace gazebo_batch_state {

/// All services and topics of one world, and the one thread that answers.
class Server {
 public:
  /// Call it where the world does not run yet, with ROS initialised and a master there.
  explicit Server(const gazebo::physics::WorldPtr& world);

  /// Ends the thread; no service answers any more. Call it where the world runs no longer.
  ~Server();

  /// Lets a call in progress end early, and none begin. From any thread, and in a signal handler.
  void Interrupt();

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  void Offer();
  void Run();

  ros::NodeHandle node_;
  ros::CallbackQueue queue_;
  Turn turn_;
  BatchWorld world_;
  PictureLibrary pictures_;
  SharedMemory shared_;
  StateTopics topics_;
  ClockTopic clock_;
  FlatServices flat_;
  MailboxService mailbox_;
  EntityServices entities_;
  Served served_;
  ServiceTable services_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace gazebo_batch_state
