// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/visual_table.hpp"

#include <algorithm>
#include <array>
#include <gazebo/physics/Link.hh>
#include <vector>

#include "gazebo_batch_state/color_cell.hpp"

namespace gazebo_batch_state {
namespace {

namespace msgs = gazebo::msgs;

constexpr const Columns& kLooks = Layout(Table::kVisuals);
constexpr std::uint8_t kTransparency = 4;
constexpr std::uint8_t kVisible = 5;

constexpr std::array<double, 18> kPlain = {0.7, 0.7, 0.7, 1.0, 0.7, 0.7, 0.7, 1.0, 0.1,
                                           0.1, 0.1, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0};
constexpr std::array<double, 16> kBlack = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

/// One of the colours of a material, by the number of its column.
struct Shade {
  bool (msgs::Material::*has)() const;
  const msgs::Color& (msgs::Material::*get)() const;
  msgs::Color* (msgs::Material::*change)();
};

const std::array<Shade, 4> kShades = {{
    {&msgs::Material::has_ambient, &msgs::Material::ambient, &msgs::Material::mutable_ambient},
    {&msgs::Material::has_diffuse, &msgs::Material::diffuse, &msgs::Material::mutable_diffuse},
    {&msgs::Material::has_specular, &msgs::Material::specular, &msgs::Material::mutable_specular},
    {&msgs::Material::has_emissive, &msgs::Material::emissive, &msgs::Material::mutable_emissive},
}};

bool HasShade(const msgs::Material& material) {
  return std::any_of(kShades.begin(), kShades.end(),
                     [&material](const Shade& shade) { return (material.*shade.has)(); });
}

/// Takes over what a message says of a visual; the rest of the row stays.
///
/// \return the columns that it says something of, as a mask
unsigned Read(const msgs::Visual& message, double* row) {
  unsigned said = 0;
  for (std::size_t column = 0; column < kShades.size(); ++column) {
    if ((message.material().*kShades[column].has)()) {
      ReadColor((message.material().*kShades[column].get)(), row + kLooks.column[column].offset);
      said |= 1U << column;
    }
  }
  if (message.has_transparency()) {
    said |= 1U << kTransparency;
    row[kLooks.column[kTransparency].offset] = message.transparency();
  }
  if (message.has_visible()) {
    said |= 1U << kVisible;
    row[kLooks.column[kVisible].offset] = message.visible() ? 1.0 : 0.0;
  }
  return said;
}

/// How a visual is described.
void Describe(const msgs::Visual& message, double* row) {
  std::copy(kPlain.begin(), kPlain.end(), row);
  if (HasShade(message.material())) {
    std::copy(kBlack.begin(), kBlack.end(), row);  // what SDF takes for colours not given
  }
  Read(message, row);
}

}  // namespace

void VisualTable::Follow(const EntityIndex& index) {
  std::vector<LookTable::Key> keys;
  keys.reserve(index.Visuals().size());
  for (const VisualEntity& visual : index.Visuals()) {
    keys.push_back(visual.id);
  }
  table_.Follow(keys, [&index](std::size_t row, double* numbers) {
    const VisualEntity& visual = index.Visuals()[row];
    Describe(visual.link->Visuals().at(visual.id), numbers);
  });
}

void VisualTable::Receive(const EntityIndex& index) {
  for (const msgs::Visual& message : mirror_.Take()) {
    const auto row = index.Names(Table::kVisuals).Find(message.name());
    if (row) {
      table_.NoteSaid(*row, Read(message, table_.Cells(*row)));
    }
  }
}

void VisualTable::Publish(const EntityIndex& index) {
  for (const auto& [row, columns] : table_.TakeChanges()) {
    const VisualEntity& visual = index.Visuals()[row];
    const double* numbers = table_.Cells(row);
    const auto is_set = [mask = columns](std::size_t column) { return (mask >> column & 1U) != 0; };
    msgs::Visual message;
    message.set_name(index.Names(Table::kVisuals).Names()[row]);
    message.set_id(visual.id);
    message.set_parent_name(visual.link->GetScopedName());
    message.set_parent_id(visual.link->GetId());
    for (std::size_t column = 0; column < kShades.size(); ++column) {
      if (is_set(column)) {
        WriteColor(numbers + kLooks.column[column].offset,
                   (message.mutable_material()->*kShades[column].change)());
      }
    }
    if (is_set(kTransparency)) {
      message.set_transparency(numbers[kLooks.column[kTransparency].offset]);
    }
    if (is_set(kVisible)) {
      message.set_visible(numbers[kLooks.column[kVisible].offset] != 0.0);
    }
    mirror_.Publish(message);
  }
}

void VisualTable::PublishRemoval(const std::string& name, std::uint32_t id) {
  msgs::Visual message;
  message.set_name(name);
  message.set_id(id);
  message.set_parent_name("");
  message.set_delete_me(true);
  mirror_.Publish(message);
}

}  // namespace gazebo_batch_state
