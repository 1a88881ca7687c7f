// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <gazebo/common/Event.hh>
#include <gazebo/physics/PhysicsTypes.hh>
#include <mutex>
#include <string>
#include <vector>

namespace gazebo_batch_state {

/// Which models and lights a world has, without asking for its whole list at a bad moment.
///
/// Gazebo adds a model from the world's thread and tells so by Events::addEntity, just before it
/// appends it to a vector that nothing protects; so this class takes new models from the event.
/// Gazebo 11 has Events::deleteEntity, but never fires it for models: removed ones are found by
/// counting, and known by having no parent any more.
class EntityWatch {
 public:
  /// Call it where the world does not run yet, such as in Events::worldCreated.
  explicit EntityWatch(gazebo::physics::WorldPtr world);

  /// Brings the lists up to date; cheap when nothing happened.
  ///
  /// The caller holds the physics update mutex, under which Gazebo removes models.
  ///
  /// \return whether a model or light came or went
  bool Update();

  /// Top-level models in the order of their creation.
  const gazebo::physics::Model_V& Models() const { return models_; }

  /// Lights of the world, and of links if the world has them in its list.
  const gazebo::physics::Light_V& Lights() const { return lights_; }

 private:
  void OnAddEntity(const std::string& name);
  void ListLights();

  gazebo::physics::WorldPtr world_;
  gazebo::physics::Model_V models_;
  gazebo::physics::Light_V lights_;
  std::size_t listed_ = 0;  // lights in the world's list, with those that are gone
  std::mutex mutex_;        // of added_
  gazebo::physics::Model_V added_;
  gazebo::event::ConnectionPtr connection_;
};

}  // namespace gazebo_batch_state
