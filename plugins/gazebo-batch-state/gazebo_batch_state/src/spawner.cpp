// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/spawner.hpp"

#include <gazebo/physics/Light.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/PhysicsEngine.hh>
#include <gazebo/physics/World.hh>
#include <gazebo/transport/TransportIface.hh>
#include <iterator>
#include <sdf/World.hh>
#include <thread>
#include <utility>

#include "gazebo_batch_state/poll.hpp"

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

constexpr auto kPause = std::chrono::seconds(1);

using Loader = physics::ModelPtr (physics::World::*)(sdf::ElementPtr, physics::BasePtr);

Loader PrivateLoader();

/// The explicit instantiation of a template may name a private member, whoever makes it (C++17,
/// [temp.explicit]); the friend passes it on.
template <Loader kLoader>
struct Access {
  friend Loader PrivateLoader() { return kLoader; }
};
template struct Access<&physics::World::LoadModel>;

/// Hides what the world's file says of its models.
///
/// Gazebo takes poses of links and parts from there for any model that has the name of one in the
/// file, whatever its own description says, and ends at a visual that the file does not have.
class HiddenFile {
 public:
  explicit HiddenFile(const physics::World& world)
      : file_(const_cast<sdf::World&>(*world.GetSDFDom())) {  // no accessor lets it be written
    std::swap(file_, hidden_);
  }
  ~HiddenFile() { std::swap(file_, hidden_); }
  HiddenFile(const HiddenFile&) = delete;
  HiddenFile& operator=(const HiddenFile&) = delete;

 private:
  sdf::World& file_;
  sdf::World hidden_;
};

/// Adds a model to a world, as Gazebo does with each one of a world file.
///
/// World::SetState and Gazebo's factory end in the same function, which is private; before that,
/// for each model, they read text and copy the whole schema of SDF, which takes several times as
/// long as the rest.
///
/// \param root the entity that all models of the world belong to
/// \throws what Gazebo throws, which may be anything
physics::ModelPtr LoadModel(physics::World& world, const sdf::ElementPtr& element,
                            const physics::BasePtr& root) {
  const HiddenFile hidden(world);
  return (world.*PrivateLoader())(element, root);
}

/// Gazebo leaves out what it cannot make and goes on; so count.
Reason FindMissing(physics::Model& model) {
  const sdf::ElementPtr described = model.GetSDF();
  const std::string owner = "of model '" + model.GetScopedName() + "' only ";
  if (model.GetLinks().size() < CountChildren(described, "link")) {
    return owner + std::to_string(model.GetLinks().size()) + " links could be made";
  }
  if (model.GetJoints().size() < CountChildren(described, "joint")) {
    return owner + std::to_string(model.GetJoints().size()) + " joints could be made";
  }
  if (model.NestedModels().size() < CountChildren(described, "model")) {
    return owner + std::to_string(model.NestedModels().size()) + " nested models could be made";
  }
  for (const auto& nested : model.NestedModels()) {
    Reason reason = FindMissing(*nested);
    if (!reason.empty()) {
      return reason;
    }
  }
  return {};
}

/// Makes the scoped names of all below an entity fit its own.
void RenewScopedNames(const physics::BasePtr& entity) {
  for (unsigned int number = 0; number < entity->GetChildCount(); ++number) {
    const physics::BasePtr child = entity->GetChild(number);
    if (child->HasType(physics::Base::ENTITY)) {
      child->SetName(child->GetName());
      RenewScopedNames(child);
    }
  }
}

}  // namespace

Reason Spawner::Spawn(const Description& description, const Pose3d& pose) {
  const auto& world = world_.World();
  world->Physics()->InitForThread();
  if (!world_sdf_) {
    world_sdf_ = world->SDF();  // takes the state of all models
  }
  description.element->SetParent(world_sdf_);
  const physics::BasePtr root = world->BaseByName(world->Name());
  physics::ModelPtr model;
  try {
    if (description.is_light) {
      world->LoadLight(description.element, root)->Init();
      world_sdf_->InsertElement(description.element);
      return {};
    }
    model = LoadModel(*world, description.element, root);
    model->Init();
    model->LoadPlugins();
    world_sdf_->InsertElement(description.element);
  } catch (...) {  // Gazebo throws what is no std::exception
    if (model) {
      Remove(model);
    } else {
      RemoveLeftover(description.name);
    }
    return description.is_light ? "Gazebo could not make the light"
                                : "Gazebo could not make the model";
  }
  Reason reason = FindMissing(*model);
  if (!reason.empty()) {
    Remove(model);
    return reason;
  }
  // The description has angles, which cannot say every rotation exactly.
  model->SetWorldPose(pose);
  model->SetInitialRelativePose(pose);
  return {};
}

void Spawner::Remove(const physics::BasePtr& entity) {
  const std::string grave = "gazebo_batch_state removed this " + std::to_string(++removed_);
  entity->SetName(grave);
  RenewScopedNames(entity);
  world_.World()->RemoveModel(grave);
}

void Spawner::RemoveLeftover(const std::string& name) {
  const auto& world = world_.World();
  const physics::BasePtr root = world->BaseByName(world->Name());
  const physics::BasePtr last = root->GetChild(root->GetChildCount() - 1);
  if (last->HasType(physics::Base::MODEL) && last->GetName() == name) {
    Remove(last);
    root->RemoveChild(last);  // it is not in the list that RemoveModel goes through
  }
}

void Spawner::DeleteModel(BatchWorld::Access& access, Row row) {
  const auto model = access.Index().Models()[row].model;
  const std::string name = model->GetScopedName();
  const std::uint32_t id = model->GetId();
  Remove(model);
  access.PublishRemoval(name, id);
}

void Spawner::RequestLightDeletion(const std::string& name) {
  gazebo::transport::requestNoReply(world_.Transport(), "entity_delete", name);
  const auto now = Clock::now();
  for (auto rest = rests_until_.begin(); rest != rests_until_.end();) {
    rest = rest->second < now ? rests_until_.erase(rest) : std::next(rest);
  }
  rests_until_[name] = now + kPause;
}

void Spawner::WaitUntilFree(const std::string& name) {
  const auto found = rests_until_.find(name);
  if (found != rests_until_.end()) {
    world_.Steps().Release();
    while (Clock::now() < found->second) {
      world_.CheckGoesOn();
      std::this_thread::sleep_for(kPoll);
    }
    rests_until_.erase(found);
  }
}

}  // namespace gazebo_batch_state
