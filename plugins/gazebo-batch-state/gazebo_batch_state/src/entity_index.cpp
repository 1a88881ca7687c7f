// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/entity_index.hpp"

#include <algorithm>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Light.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/World.hh>
#include <utility>

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

bool IsCamera(const std::string& type) {
  return type == "camera" || type == "depth" || type == "multicamera" || type == "wideanglecamera";
}

/// The row of a joint's end; nothing for the world.
std::optional<Row> RowOf(const NameIndex& links, const physics::LinkPtr& link) {
  return link ? links.Find(link->GetScopedName()) : std::nullopt;
}

/// Whether a sorted list has a row in it.
bool Has(const std::vector<Row>& rows, const std::optional<Row>& row) {
  return row && std::binary_search(rows.begin(), rows.end(), *row);
}

/// The canonical link if it is among some, else the first one.
std::optional<Row> RootOf(const std::vector<LinkEntity>& links, const std::vector<Row>& among) {
  const auto canonical = std::find_if(
      among.begin(), among.end(), [&links](Row row) { return links[row].link->IsCanonicalLink(); });
  if (canonical != among.end()) {
    return *canonical;
  }
  return among.empty() ? std::nullopt : std::optional<Row>(among.front());
}

/// A model's frame in the frame of a link below it, as described.
Pose3d FrameIn(const physics::LinkPtr& link, const physics::ModelPtr& model) {
  Pose3d place;
  for (physics::BasePtr part = link; part && part != model; part = part->GetParent()) {
    const auto entity = boost::dynamic_pointer_cast<physics::Entity>(part);
    place = Compose(entity->InitialRelativePose(), place);
  }
  return Inverse(place);
}

}  // namespace

EntityIndex::EntityIndex(const physics::WorldPtr& world, std::uint64_t generation)
    : watch_(world), generation_(generation) {
  Build();
}

bool EntityIndex::Update() {
  if (!watch_.Update()) {
    return false;
  }
  ++generation_;
  Build();
  return true;
}

void EntityIndex::Build() {
  names_ = {};
  models_.clear();
  links_.clear();
  visuals_.clear();
  lights_.clear();
  cameras_.clear();
  for (const auto& light : watch_.Lights()) {
    AddLight(light);
  }
  for (const auto& model : watch_.Models()) {
    AddModel(model);
  }
  Join();
}

void EntityIndex::AddModel(const physics::ModelPtr& model) {
  if (!At(Table::kModels).Add(model->GetScopedName())) {
    return;
  }
  const std::size_t row = models_.size();
  const auto first = static_cast<Row>(links_.size());
  models_.push_back({});
  for (const auto& link : model->GetLinks()) {
    AddLink(link);
  }
  for (const auto& nested : model->NestedModels()) {
    AddModel(nested);
  }
  ModelEntity& entity = models_[row];
  entity.model = model;
  entity.is_static = model->IsStatic();
  for (Row link = first; link < links_.size(); ++link) {
    entity.links.push_back(link);
  }
  entity.root = RootOf(links_, entity.links);
  entity.tracked = true;
  if (entity.root) {
    const auto& root = links_[*entity.root].link;
    entity.frame = FrameIn(root, model);
    // Gazebo moves the frames of the models around the canonical link, and of no others.
    entity.tracked = entity.is_static || root->IsCanonicalLink();
  }
}

void EntityIndex::AddLink(const physics::LinkPtr& link) {
  const std::string name = link->GetScopedName();
  if (!At(Table::kLinks).Add(name)) {
    return;
  }
  links_.push_back({link, link->IsStatic(), {}, {}});
  for (const auto& [id, message] : link->Visuals()) {
    if (At(Table::kVisuals).Add(message.name())) {
      visuals_.push_back({link, id});
    }
  }
  for (unsigned int child = 0; child < link->GetChildCount(); ++child) {
    AddLight(boost::dynamic_pointer_cast<physics::Light>(link->GetChild(child)));
  }
  const sdf::ElementPtr description = link->GetSDF();
  if (description->HasElement("sensor")) {
    for (auto sensor = description->GetElement("sensor"); sensor;
         sensor = sensor->GetNextElement("sensor")) {
      if (IsCamera(sensor->Get<std::string>("type"))) {
        cameras_.push_back(name + "::" + sensor->Get<std::string>("name"));
      }
    }
  }
}

void EntityIndex::AddLight(const physics::LightPtr& light) {
  if (light && At(Table::kLights).Add(light->GetScopedName())) {
    lights_.push_back(light);
  }
}

void EntityIndex::Join() {
  struct Edge {
    Row from;
    Row to;
  };
  std::vector<Edge> edges;
  const NameIndex& names = Names(Table::kLinks);
  for (const auto& owner : models_) {
    for (const auto& joint : owner.model->GetJoints()) {
      const auto parent = RowOf(names, joint->GetParent());
      const auto child = RowOf(names, joint->GetChild());
      const Reason reason = "joint '" + joint->GetScopedName() + "' holds it";
      if (child) {
        links_[*child].held = reason;
      }
      if (parent && child) {
        edges.push_back({*parent, *child});
      }
      for (auto& entity : models_) {
        const bool has_parent = Has(entity.links, parent);
        const bool has_child = Has(entity.links, child);
        if (has_parent != has_child) {
          entity.held = reason;
        } else if (has_parent && joint->DOF() > 0) {
          entity.flexible = true;
        }
      }
    }
  }
  std::vector<std::vector<Row>> joined(links_.size());
  for (const Edge& edge : edges) {
    joined[edge.from].push_back(edge.to);
    joined[edge.to].push_back(edge.from);
  }
  for (Row root = 0; root < links_.size(); ++root) {
    if (!links_[root].held.empty() || joined[root].empty()) {
      continue;
    }
    std::vector<bool> seen(links_.size());
    std::vector<Row> open = {root};
    seen[root] = true;
    while (!open.empty()) {
      const Row link = open.back();
      open.pop_back();
      for (const Row next : joined[link]) {
        if (!seen[next]) {
          seen[next] = true;
          open.push_back(next);
          links_[root].carried.push_back(next);
        }
      }
    }
  }
}

}  // namespace gazebo_batch_state
