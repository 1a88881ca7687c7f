// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/light_table.hpp"

#include <gazebo/physics/Light.hh>
#include <vector>

#include "gazebo_batch_state/color_cell.hpp"
#include "gazebo_batch_state/pose_cell.hpp"

namespace gazebo_batch_state {
namespace {

namespace msgs = gazebo::msgs;
namespace physics = gazebo::physics;

constexpr const Columns& kLamps = Layout(Table::kLights);
constexpr std::size_t kDiffuse = kLamps.column[0].offset;
constexpr std::size_t kSpecular = kLamps.column[1].offset;
constexpr std::size_t kAttenuation = kLamps.column[2].offset;
constexpr std::size_t kPlace = kLamps.column[3].offset;
constexpr std::size_t kRange = kLamps.column[4].offset;
constexpr double kUsualRange = 10.0;  // of SDF [m], where nothing is said

bool IsCarried(const physics::Light& light) {
  const physics::BasePtr parent = light.GetParent();
  return parent && parent->HasType(physics::Base::LINK);
}

/// Moves a light for good: it is there after a reset too, and where its link takes it.
void Move(physics::Light& light, const Pose3d& pose) {
  light.SetInitialRelativePose(pose);
  if (IsCarried(light)) {
    light.SetWorldPoseDirty();
  } else {
    light.SetWorldPose(pose);
  }
}

/// Takes over what a message says of a light but its pose; the rest of the row stays.
///
/// \return the columns that it says something of, as a mask
unsigned Read(const msgs::Light& message, double* row) {
  unsigned said = 0;
  if (message.has_diffuse()) {
    said |= 1U;
    ReadColor(message.diffuse(), row + kDiffuse);
  }
  if (message.has_specular()) {
    said |= 2U;
    ReadColor(message.specular(), row + kSpecular);
  }
  double* attenuation = row + kAttenuation;
  if (message.has_attenuation_constant()) {
    said |= 4U;
    attenuation[0] = message.attenuation_constant();
  }
  if (message.has_attenuation_linear()) {
    said |= 4U;
    attenuation[1] = message.attenuation_linear();
  }
  if (message.has_attenuation_quadratic()) {
    said |= 4U;
    attenuation[2] = message.attenuation_quadratic();
  }
  if (message.has_range()) {
    said |= 16U;
    row[kRange] = message.range();
  }
  return said;
}

}  // namespace

void LightTable::Follow(const EntityIndex& index) {
  std::vector<LookTable::Key> keys;
  keys.reserve(index.Lights().size());
  for (const auto& light : index.Lights()) {
    keys.push_back(light->GetId());
  }
  table_.Follow(keys, [&index](std::size_t row, double* numbers) {
    physics::Light& light = *index.Lights()[row];
    WritePose(IsCarried(light) ? light.InitialRelativePose() : light.WorldPose(), numbers + kPlace);
    numbers[kRange] = kUsualRange;
    msgs::Light message;
    light.FillMsg(message);
    Read(message, numbers);
  });
}

void LightTable::Receive(const EntityIndex& index) {
  for (const msgs::Light& message : mirror_.Take()) {
    const auto row = index.Names(Table::kLights).Find(message.name());
    if (row) {
      double* numbers = table_.Cells(*row);
      table_.NoteSaid(*row, Read(message, numbers));
      if (message.has_pose() && !IsCarried(*index.Lights()[*row])) {
        table_.NoteSaid(*row, 8U);
        WritePose(msgs::ConvertIgn(message.pose()), numbers + kPlace);
      }
    }
  }
}

void LightTable::Publish(const EntityIndex& index) {
  for (const auto& [row, columns] : table_.TakeChanges()) {
    const double* numbers = table_.Cells(row);
    msgs::Light message;
    message.set_name(index.Names(Table::kLights).Names()[row]);
    if ((columns & 1U) != 0) {
      WriteColor(numbers + kDiffuse, message.mutable_diffuse());
    }
    if ((columns & 2U) != 0) {
      WriteColor(numbers + kSpecular, message.mutable_specular());
    }
    if ((columns & 4U) != 0) {
      const double* attenuation = numbers + kAttenuation;
      message.set_attenuation_constant(static_cast<float>(attenuation[0]));
      message.set_attenuation_linear(static_cast<float>(attenuation[1]));
      message.set_attenuation_quadratic(static_cast<float>(attenuation[2]));
    }
    if ((columns & 8U) != 0) {
      Move(*index.Lights()[row], PoseOf(numbers + kPlace));
    }
    if ((columns & 16U) != 0) {
      message.set_range(static_cast<float>(numbers[kRange]));
    }
    if (columns != 8U) {
      mirror_.Publish(message);
    }
  }
}

}  // namespace gazebo_batch_state
