// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/ray_caster.hpp"

#include <gazebo/physics/ode/ode_inc.h>

#include <algorithm>
#include <gazebo/physics/Collision.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/World.hh>
#include <gazebo/physics/ode/ODEPhysics.hh>
#include <limits>
#include <stdexcept>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

/// One ray on its way through the spaces of ODE.
struct Ray {
  dGeomID geom;
  const RayCaster::Hidden& hidden;
  double nearest = std::numeric_limits<double>::infinity();
};

void Meet(void* data, dGeomID a, dGeomID b) {
  Ray& ray = *static_cast<Ray*>(data);
  dGeomID other = a == ray.geom ? b : a;
  if (dGeomIsSpace(other) != 0) {
    dSpaceCollide2(ray.geom, other, data, &Meet);
    return;
  }
  const auto* collision = static_cast<physics::Collision*>(dGeomGetData(other));
  if (dGeomGetClass(other) == dRayClass || collision == nullptr ||
      ray.hidden.count(collision->GetLink()->GetId()) != 0) {
    return;
  }
  dContactGeom contact;
  if (dCollide(ray.geom, other, 1, &contact, sizeof(contact)) > 0) {
    ray.nearest = std::min(ray.nearest, static_cast<double>(contact.depth));
  }
}

}  // namespace

RayCaster::RayCaster(const physics::WorldPtr& world)
    : physics_(boost::dynamic_pointer_cast<physics::ODEPhysics>(world->Physics())) {}

void RayCaster::Cast(const Vector3d& origin, const std::vector<Vector3d>& directions, double range,
                     const Hidden& hidden, double* distances) const {
  if (!physics_) {
    throw std::runtime_error("rays are cast with ODE only");
  }
  physics_->InitForThread();  // what triangle meshes keep for each thread
  dGeomID geom = dCreateRay(nullptr, range);
  dGeomRaySetClosestHit(geom, 1);
  for (const Vector3d& direction : directions) {
    Ray ray{geom, hidden};
    dGeomRaySet(geom, origin.X(), origin.Y(), origin.Z(), direction.X(), direction.Y(),
                direction.Z());
    dSpaceCollide2(geom, reinterpret_cast<dGeomID>(physics_->GetSpaceId()), &ray, &Meet);
    *distances++ = ray.nearest;
  }
  dGeomDestroy(geom);
}

}  // namespace gazebo_batch_state
