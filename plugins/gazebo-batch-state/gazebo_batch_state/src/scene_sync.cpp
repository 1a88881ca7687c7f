// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/scene_sync.hpp"

#include <algorithm>
#include <gazebo/rendering/Light.hh>
#include <gazebo/rendering/RTShaderSystem.hh>
#include <gazebo/rendering/Scene.hh>
#include <gazebo/rendering/Visual.hh>
#include <ignition/math/Color.hh>
#include <set>
#include <vector>

namespace gazebo_batch_state {
namespace {

namespace rendering = gazebo::rendering;
using ignition::math::Color;
using rendering::Visual;

/// One of the colours of a visual, by the number of its column.
struct Shade {
  Color (Visual::*get)() const;
  void (Visual::*set)(const Color&, bool);
};

const std::array<Shade, 4> kShades = {{{&Visual::Ambient, &Visual::SetAmbient},
                                       {&Visual::Diffuse, &Visual::SetDiffuse},
                                       {&Visual::Specular, &Visual::SetSpecular},
                                       {&Visual::Emissive, &Visual::SetEmissive}}};

bool Has(unsigned columns, std::size_t column) { return (columns >> column & 1U) != 0; }

Color ColorOf(const double* cell) {
  return {static_cast<float>(cell[0]), static_cast<float>(cell[1]), static_cast<float>(cell[2]),
          static_cast<float>(cell[3])};
}

std::vector<rendering::VisualPtr> ChildrenOf(Visual& visual) {
  std::vector<rendering::VisualPtr> children;
  for (unsigned int number = 0; number < visual.GetChildCount(); ++number) {
    children.push_back(visual.GetChild(number));
  }
  return children;
}

/// Removes what Gazebo forgets when it is told that a model is gone, and goes on drawing.
void Remove(rendering::Scene& scene, const rendering::VisualPtr& visual) {
  for (const rendering::VisualPtr& child : ChildrenOf(*visual)) {
    Remove(scene, child);
  }
  const rendering::VisualPtr parent = visual->GetParent();
  if (scene.GetVisual(visual->GetId()) == visual) {
    scene.RemoveVisual(visual);
  } else {
    visual->Fini();
  }
  const auto left = ChildrenOf(*parent);
  if (std::find(left.begin(), left.end(), visual) != left.end()) {
    parent->DetachVisual(visual);
  }
}

/// What has not come or gone yet.
Reason FindMissing(rendering::Scene& scene, const SceneState& state) {
  std::set<std::uint32_t> models;
  for (const SceneState::Part& part : state.parts) {
    if (!scene.GetVisual(part.id)) {
      return "'" + part.name + "'";
    }
    if (part.top_level) {
      models.insert(part.id);
    }
  }
  std::set<std::string> lights;
  for (const SceneState::Light& light : state.lights) {
    if (!scene.LightByName(light.name)) {
      return "light '" + light.name + "'";
    }
    lights.insert(light.name);
  }
  for (const rendering::VisualPtr& child : ChildrenOf(*scene.WorldVisual())) {
    if (child->GetType() == Visual::VT_MODEL && models.count(child->GetId()) == 0) {
      if (scene.GetVisual(child->GetId())) {
        return "'" + child->Name() + "' gone";
      }
      Remove(scene, child);
    }
  }
  for (std::uint32_t number = 0; number < scene.LightCount(); ++number) {
    const std::string name = scene.LightByIndex(number)->Name();
    if (lights.count(scene.StripSceneName(name)) == 0) {
      return "light '" + name + "' gone";
    }
  }
  return {};
}

void Paint(Visual& visual, const SceneState::Look& look) {
  for (std::size_t column = 0; column < kShades.size(); ++column) {
    const Color color = ColorOf(look.row.data() + 4 * column);
    if (Has(look.columns, column) && (visual.*kShades[column].get)() != color) {
      (visual.*kShades[column].set)(color, true);
    }
  }
  const auto transparency = static_cast<float>(look.row[16]);
  if (Has(look.columns, 4) && visual.GetTransparency() != transparency) {
    visual.SetTransparency(transparency);
  }
  const bool visible = look.row[17] != 0.0;
  if (Has(look.columns, 5) && visual.GetVisible() != visible) {
    visual.SetVisible(visible);
  }
}

void Adjust(rendering::Light& light, const SceneState::Light& wanted) {
  const double* row = wanted.row.data();
  if (Has(wanted.columns, 0)) {
    light.SetDiffuseColor(ColorOf(row));
  }
  if (Has(wanted.columns, 1)) {
    light.SetSpecularColor(ColorOf(row + 4));
  }
  if (Has(wanted.columns, 2)) {
    light.SetAttenuation(row[8], row[9], row[10]);
  }
  if (wanted.pose) {
    light.SetPosition(wanted.pose->Pos());
    light.SetRotation(wanted.pose->Rot());
  }
}

}  // namespace

Reason Settle(rendering::Scene& scene, const SceneState& state) {
  return scene.Initialized() ? FindMissing(scene, state) : "its scene";
}

Reason Sync(rendering::Scene& scene, const SceneState& state) {
  Reason missing = Settle(scene, state);
  if (!missing.empty()) {
    return missing;
  }
  for (const SceneState::Part& part : state.parts) {
    scene.GetVisual(part.id)->SetPose(part.pose);
  }
  for (const SceneState::Look& look : state.looks) {
    const rendering::VisualPtr visual = scene.GetVisual(look.id);
    if (visual) {
      Paint(*visual, look);
    }
  }
  for (const SceneState::Light& light : state.lights) {
    Adjust(*scene.LightByName(light.name), light);
  }
  rendering::RTShaderSystem::Instance()->Update();  // else shaders are those before, for one frame
  return {};
}

}  // namespace gazebo_batch_state
