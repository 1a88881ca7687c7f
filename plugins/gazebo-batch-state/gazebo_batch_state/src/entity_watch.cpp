// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/entity_watch.hpp"

#include <algorithm>
#include <gazebo/common/Events.hh>
#include <gazebo/physics/Light.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/World.hh>
#include <utility>

namespace gazebo_batch_state {

namespace physics = gazebo::physics;

namespace {

/// Whether Gazebo has removed an entity.
bool IsGone(const physics::BasePtr& entity) { return entity->GetParent() == nullptr; }

}  // namespace

EntityWatch::EntityWatch(physics::WorldPtr world)
    : world_(std::move(world)), models_(world_->Models()) {
  ListLights();
  connection_ = gazebo::event::Events::ConnectAddEntity(
      [this](const std::string& name) { OnAddEntity(name); });
}

void EntityWatch::OnAddEntity(const std::string& name) {
  // World::ModelByName would wait for the mutex that the caller of this event holds, and a search
  // by name finds links of that name as well; the new model is among the last children of the root.
  const physics::BasePtr root = world_->BaseByName(world_->Name());
  for (unsigned int number = root->GetChildCount(); number > 0; --number) {
    auto model = boost::dynamic_pointer_cast<physics::Model>(root->GetChild(number - 1));
    if (model && model->GetScopedName() == name) {
      const std::lock_guard<std::mutex> lock(mutex_);
      added_.push_back(std::move(model));
      return;
    }
  }
}

bool EntityWatch::Update() {
  bool changed = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    changed = !added_.empty();
    models_.insert(models_.end(), added_.begin(), added_.end());
    added_.clear();
  }
  if (world_->ModelCount() != models_.size()) {
    const auto gone = std::remove_if(models_.begin(), models_.end(), IsGone);
    changed = changed || gone != models_.end();
    models_.erase(gone, models_.end());
  }
  // Another one may have taken the place of one that is gone: then the number is the same.
  if (world_->LightCount() != listed_ || std::any_of(lights_.begin(), lights_.end(), IsGone)) {
    ListLights();
    changed = true;
  }
  return changed;
}

void EntityWatch::ListLights() {
  lights_ = world_->Lights();
  listed_ = lights_.size();
  lights_.erase(std::remove_if(lights_.begin(), lights_.end(), IsGone), lights_.end());
}

}  // namespace gazebo_batch_state
