// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/scene_state.hpp"

#include <algorithm>
#include <gazebo/physics/Light.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>

namespace gazebo_batch_state {
namespace {

template <std::size_t width>
void CopyRow(const LookTable& table, std::size_t row, std::array<double, width>& numbers) {
  const double* cells = table.Cells(row);
  std::copy(cells, cells + width, numbers.begin());
}

}  // namespace

SceneState Observe(const BatchWorld::View& view) {
  const EntityIndex& index = view.Index();
  SceneState state;
  state.parts.reserve(index.Models().size() + index.Links().size());
  for (const ModelEntity& entity : index.Models()) {
    const auto& model = entity.model;
    state.parts.push_back({model->GetScopedName(), model->GetId(), model->RelativePose()});
  }
  for (const LinkEntity& entity : index.Links()) {
    const auto& link = entity.link;
    state.parts.push_back({link->GetScopedName(), link->GetId(), link->RelativePose()});
  }
  const LookTable& visuals = view.Looks(Table::kVisuals);
  for (std::size_t row = 0; row < index.Visuals().size(); ++row) {
    if (visuals.Said(row) != 0) {
      SceneState::Look& look = state.looks.emplace_back();
      look.id = index.Visuals()[row].id;
      look.columns = visuals.Said(row);
      CopyRow(visuals, row, look.row);
    }
  }
  const LookTable& lights = view.Looks(Table::kLights);
  for (std::size_t row = 0; row < index.Lights().size(); ++row) {
    const auto& entity = index.Lights()[row];
    SceneState::Light& light = state.lights.emplace_back();
    light.id = entity->GetId();
    light.name = index.Names(Table::kLights).Names()[row];
    light.columns = lights.Said(row);
    CopyRow(lights, row, light.row);
    const gazebo::physics::BasePtr parent = entity->GetParent();
    const bool is_carried = parent && parent->HasType(gazebo::physics::Base::LINK);
    light.pose = is_carried ? entity->InitialRelativePose() : entity->WorldPose();
  }
  return state;
}

std::vector<gazebo::msgs::Model> Describe(const BatchWorld::View& view) {
  std::vector<gazebo::msgs::Model> models;
  for (const ModelEntity& entity : view.Index().Models()) {
    if (!entity.model->GetParent()->HasType(gazebo::physics::Base::MODEL)) {
      entity.model->FillMsg(models.emplace_back());
    }
  }
  return models;
}

}  // namespace gazebo_batch_state
