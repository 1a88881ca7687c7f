// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/physics_services.hpp"

#include <cmath>

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

/// What is wrong with a request, if anything is.
Reason Check(const EntityIndex& index, const msg::ScaleLinks::Request& request) {
  const NameIndex* names = index.NamesOf(Table::kLinks, request.generation);
  if (names == nullptr) {
    return "rows are of generation " + std::to_string(request.generation) + ", it is " +
           std::to_string(index.Generation()) + " now: ask get_names";
  }
  if (request.property >= kProperties) {
    return "properties are 0.." + std::to_string(kProperties - 1) + ", got " +
           std::to_string(request.property);
  }
  if (request.links.size() != request.factors.size()) {
    return std::to_string(request.factors.size()) + " factors for " +
           std::to_string(request.links.size()) + " links";
  }
  const auto property = static_cast<Property>(request.property);
  const bool can_be_zero = property == Property::kGravity || property == Property::kJointFriction;
  for (std::size_t number = 0; number < request.links.size(); ++number) {
    const double factor = request.factors[number];
    if (!std::isfinite(factor) || factor < 0.0 || (factor == 0.0 && !can_be_zero)) {
      return "factors must be finite and > 0, or 0 for gravity and joint friction, got " +
             std::to_string(factor);
    }
    const Row row = request.links[number];
    if (row >= names->Size()) {
      return "there is no row " + std::to_string(row) + ", only " + std::to_string(names->Size());
    }
    if (!index.Names(Table::kLinks).Find(names->Names()[row])) {
      return "link '" + names->Names()[row] + "' was deleted";
    }
  }
  return {};
}

}  // namespace

void PhysicsServices::GetFactors(msg::GetFactors::Request& /*request*/,
                                 msg::GetFactors::Response& response) {
  BatchWorld::Access access(world_);
  response.generation = access.Index().Generation();
  response.factors.resize(kProperties * access.Rows(Table::kLinks));
  access.Factors().Read(response.factors.data());
}

void PhysicsServices::ScaleLinks(msg::ScaleLinks::Request& request,
                                 msg::ScaleLinks::Response& response) {
  BatchWorld::Access access(world_);
  const EntityIndex& index = access.Index();
  response.message = Check(index, request);
  if (!response.message.empty()) {
    return;
  }
  response.success = 1;
  const auto& names = index.NamesOf(Table::kLinks, request.generation)->Names();
  for (std::size_t number = 0; number < request.links.size(); ++number) {
    const auto row = index.Names(Table::kLinks).Find(names[request.links[number]]);
    access.Factors().Scale(static_cast<Property>(request.property), *row, request.factors[number]);
  }
}

}  // namespace gazebo_batch_state
