// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/contact_record.hpp"

#include <algorithm>

namespace gazebo_batch_state {

void ContactRecord::Begin() {
  const ContactRecord old = *this;
  *this = ContactRecord();
  air_ = old.air_;
  last_air_ = old.last_air_;
  contact_ = old.contact_;
}

void ContactRecord::Add(const Touch& touch) {
  const double size = touch.force.Length();
  touches_ = true;
  step_force_ += touch.force;
  force_ += touch.force;
  moment_ += touch.position.Cross(touch.force);
  position_ += size * touch.position;
  weight_ += size;
  if (touch.distance < distance_) {
    distance_ = touch.distance;
    normal_ = touch.normal;
  }
}

void ContactRecord::EndStep() {
  ++steps_;
  peak_ = std::max(peak_, step_force_.Length());
  step_force_ = Vector3d::Zero;
  if (touches_) {
    if (air_ > 0) {
      first_ = true;
      last_air_ = air_;
    }
    air_ = 0;
    ++contact_;
  } else {
    ++air_;
    contact_ = 0;
  }
  touches_ = false;
}

std::array<double, ContactRecord::kNumbers> ContactRecord::Summary(double timestep) const {
  const double share = 1.0 / static_cast<double>(std::max<std::uint64_t>(steps_, 1));
  const Vector3d position = weight_ > 0.0 ? position_ / weight_ : Vector3d::Zero;
  const Vector3d force = share * force_;
  const Vector3d torque = share * (moment_ - position.Cross(force_));
  const auto seconds = [timestep](std::uint64_t steps) {
    return static_cast<double>(steps) * timestep;
  };
  const bool found = distance_ < std::numeric_limits<double>::infinity();
  return {found ? 1.0 : 0.0,  force.X(),     force.Y(),          force.Z(),        torque.X(),
          torque.Y(),         torque.Z(),    position.X(),       position.Y(),     position.Z(),
          distance_,          normal_.X(),   normal_.Y(),        normal_.Z(),      peak_,
          first_ ? 1.0 : 0.0, seconds(air_), seconds(last_air_), seconds(contact_)};
}

}  // namespace gazebo_batch_state
