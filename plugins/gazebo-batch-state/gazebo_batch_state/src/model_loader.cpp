// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/model_loader.hpp"

#include <gazebo/physics/World.hh>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

using Loader = physics::ModelPtr (physics::World::*)(sdf::ElementPtr, physics::BasePtr);

Loader PrivateLoader();

/// The explicit instantiation of a template may name a private member, whoever makes it (C++17,
/// [temp.explicit]); the friend passes it on.
template <Loader kLoader>
struct Access {
  friend Loader PrivateLoader() { return kLoader; }
};
template struct Access<&physics::World::LoadModel>;

}  // namespace

physics::ModelPtr LoadModel(physics::World& world, const sdf::ElementPtr& element,
                            const physics::BasePtr& root) {
  return (world.*PrivateLoader())(element, root);
}

}  // namespace gazebo_batch_state
