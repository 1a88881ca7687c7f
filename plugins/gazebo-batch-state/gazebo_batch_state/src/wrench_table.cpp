// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/wrench_table.hpp"

#include <gazebo/physics/Link.hh>
#include <unordered_map>
#include <utility>

namespace gazebo_batch_state {
namespace {

constexpr const Columns& kWrenches = Layout(Table::kLinks);

void Copy(const Vector3d& vector, double* cell) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell[axis] = vector[axis];
  }
}

}  // namespace

void WrenchTable::Follow() {
  if (wrenches_.empty()) {
    return;
  }
  std::unordered_map<std::uint32_t, Wrench> old;
  for (const auto& [row, wrench] : wrenches_) {
    old.emplace(wrench.id, wrench);
  }
  wrenches_.clear();
  for (Row row = 0; row < index_.Links().size(); ++row) {
    const auto known = old.find(index_.Links()[row].link->GetId());
    if (known != old.end()) {
      wrenches_.emplace(row, known->second);
    }
  }
}

void WrenchTable::Read(double* numbers) const {
  for (const auto& [row, wrench] : wrenches_) {
    Copy(wrench.force, numbers + row * kWrenches.width + kWrenches.column[kForce].offset);
    Copy(wrench.torque, numbers + row * kWrenches.width + kWrenches.column[kTorque].offset);
  }
}

Reason WrenchTable::Write(Row row, std::uint8_t column, const double* cell) {
  const Vector3d vector(cell[0], cell[1], cell[2]);
  const LinkEntity& entity = index_.Links()[row];
  if (entity.is_static) {
    return vector == Vector3d::Zero ? Reason() : "it stays where it is put, so no force moves it";
  }
  Wrench& wrench = wrenches_[row];
  wrench.id = entity.link->GetId();
  (column == kForce ? wrench.force : wrench.torque) = vector;
  return {};
}

void WrenchTable::Apply() const {
  for (const auto& [row, wrench] : wrenches_) {
    gazebo::physics::Link& link = *index_.Links()[row].link;
    link.SetEnabled(true);
    link.AddForce(wrench.force);
    link.AddTorque(wrench.torque);
  }
}

}  // namespace gazebo_batch_state
