// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/scene_sync.hpp"

#include <algorithm>
#include <array>
#include <boost/make_shared.hpp>
#include <gazebo/rendering/Light.hh>
#include <gazebo/rendering/RTShaderSystem.hh>
#include <gazebo/rendering/Scene.hh>
#include <gazebo/rendering/Visual.hh>
#include <ignition/math/Color.hh>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gazebo_batch_state {
namespace {

namespace msgs = gazebo::msgs;
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

/// Removes a visual and all below it, and others with its id.
///
/// Gazebo forgets models that it is told are gone, and goes on drawing them. It detaches visuals by
/// name, so each gets one that nothing else has: or another one would be lost, with its parent.
void Remove(rendering::Scene& scene, const rendering::VisualPtr& visual) {
  for (const rendering::VisualPtr& child : ChildrenOf(*visual)) {
    Remove(scene, child);
  }
  if (visual->GetSceneNode() == nullptr) {
    return;  // it went along with another one
  }
  visual->SetName("gazebo_batch_state removes this " + std::to_string(visual->GetId()));
  if (scene.GetVisual(visual->GetId()) == visual) {
    scene.RemoveVisual(visual);
  } else {
    visual->Fini();
  }
}

/// Whether a visual is drawn for a model or link.
bool IsPart(const Visual& visual) {
  return visual.GetType() == Visual::VT_MODEL || visual.GetType() == Visual::VT_LINK;
}

/// Looks for models and links that are no more, and removes those that Gazebo has forgotten.
///
/// \return one that is still to be forgotten
Reason FindGhost(rendering::Scene& scene, Visual& parent, const std::set<std::uint32_t>& alive) {
  for (const rendering::VisualPtr& child : ChildrenOf(parent)) {
    if (!IsPart(*child)) {
      continue;
    }
    if (alive.count(child->GetId()) > 0) {
      Reason ghost = FindGhost(scene, *child, alive);
      if (!ghost.empty()) {
        return ghost;
      }
    } else if (scene.GetVisual(child->GetId())) {
      return "'" + child->Name() + "' gone";
    } else {
      Remove(scene, child);
    }
  }
  return {};
}

/// Removes models and links that are no more, whether Gazebo has forgotten them or not.
void RemoveGhosts(rendering::Scene& scene, Visual& parent, const std::set<std::uint32_t>& alive) {
  for (const rendering::VisualPtr& child : ChildrenOf(parent)) {
    if (IsPart(*child) && alive.count(child->GetId()) == 0) {
      Remove(scene, child);
    } else if (IsPart(*child)) {
      RemoveGhosts(scene, *child, alive);
    }
  }
}

/// Adds a part below its parent, unless it is there.
rendering::VisualPtr Add(rendering::Scene& scene, const msgs::Visual& message,
                         Visual::VisualType type, const rendering::VisualPtr& parent) {
  rendering::VisualPtr visual = scene.GetVisual(message.id());
  if (!visual) {
    visual = std::make_shared<Visual>(message.name(), parent);
    visual->SetId(message.id());
    visual->LoadFromMsg(boost::make_shared<const msgs::Visual>(message));
    visual->SetType(type);
  }
  return visual;
}

/// Adds a link and its visuals, as far as they are missing; the first one is the link itself.
void AddLink(rendering::Scene& scene, const msgs::Link& link, const rendering::VisualPtr& parent) {
  rendering::VisualPtr frame;
  for (const msgs::Visual& message : link.visual()) {
    if (!frame) {
      frame = Add(scene, message, Visual::VT_LINK, parent);
    } else if (message.geometry().type() != msgs::Geometry::HEIGHTMAP) {  // that is no visual there
      Add(scene, message, Visual::VT_VISUAL, frame);
    }
  }
}

/// Adds a model and all below it, as far as they are missing.
void AddModel(rendering::Scene& scene, const msgs::Model& model,
              const rendering::VisualPtr& parent) {
  if (model.visual_size() == 0) {
    return;
  }
  const auto visual = Add(scene, model.visual(0), Visual::VT_MODEL, parent);
  for (const msgs::Link& link : model.link()) {
    AddLink(scene, link, visual);
  }
  for (const msgs::Model& nested : model.model()) {
    AddModel(scene, nested, visual);
  }
}

/// The numbers of all models and links.
std::set<std::uint32_t> IdsOf(const std::vector<SceneState::Part>& parts) {
  std::set<std::uint32_t> ids;
  for (const SceneState::Part& part : parts) {
    ids.insert(part.id);
  }
  return ids;
}

/// What has not come or gone yet.
Reason FindMissing(rendering::Scene& scene, const SceneState& state) {
  for (const SceneState::Part& part : state.parts) {
    if (!scene.GetVisual(part.id)) {
      return "'" + part.name + "'";
    }
  }
  std::set<std::string> lights;
  for (const SceneState::Light& light : state.lights) {
    if (!scene.LightByName(light.name)) {
      return "light '" + light.name + "'";
    }
    lights.insert(light.name);
  }
  Reason ghost = FindGhost(scene, *scene.WorldVisual(), IdsOf(state.parts));
  if (!ghost.empty()) {
    return ghost;
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
  if (Has(wanted.columns, 4)) {
    light.SetRange(row[18]);
  }
  light.SetPosition(wanted.pose.Pos());
  light.SetRotation(wanted.pose.Rot());
}

/// Lets a light be where it is said to be.
///
/// Gazebo draws a visual for the light too, as for all entities. A light that comes later than its
/// visual hangs on it, and the pose would count twice.
void ClearFrame(rendering::Scene& scene, const SceneState::Light& light) {
  const rendering::VisualPtr frame = scene.GetVisual(light.id);
  if (frame) {
    frame->SetPose(Pose3d::Zero);
  }
}

}  // namespace

Reason Settle(rendering::Scene& scene, const SceneState& state) {
  return scene.Initialized() ? FindMissing(scene, state) : "its scene";
}

void Repair(rendering::Scene& scene, const SceneState& state,
            const std::vector<msgs::Model>& models) {
  if (!scene.Initialized()) {
    return;
  }
  RemoveGhosts(scene, *scene.WorldVisual(), IdsOf(state.parts));
  for (const msgs::Model& model : models) {
    AddModel(scene, model, scene.WorldVisual());
  }
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
    ClearFrame(scene, light);
    Adjust(*scene.LightByName(light.name), light);
  }
  rendering::RTShaderSystem::Instance()->Update();  // else shaders are those before, for one frame
  return {};
}

}  // namespace gazebo_batch_state
