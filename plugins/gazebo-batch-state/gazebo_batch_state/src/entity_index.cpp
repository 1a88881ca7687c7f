// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/entity_index.hpp"

#include <algorithm>
#include <cmath>
#include <gazebo/physics/Joint.hh>
#include <gazebo/physics/Light.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/World.hh>
#include <locale>
#include <sstream>
#include <utility>

#include "gazebo_batch_state/sensor_types.hpp"

namespace gazebo_batch_state {
namespace {

namespace physics = gazebo::physics;

constexpr std::size_t kRemembered = 16;  // generations whose rows a client may still mean

/// Gazebo says that such a joint has no degree of freedom.
bool IsBall(const physics::JointPtr& joint) { return joint->HasType(physics::Base::BALL_JOINT); }

/// The row of a joint's end; nothing for the world.
std::optional<Row> RowOf(const NameIndex& links, const physics::LinkPtr& link) {
  return link ? links.Find(link->GetScopedName()) : std::nullopt;
}

/// Whether a sorted list has a row in it.
bool Has(const std::vector<Row>& rows, const std::optional<Row>& row) {
  return row && std::binary_search(rows.begin(), rows.end(), *row);
}

/// A number within an element that sdformat 9 does not know.
double NumberIn(const sdf::ElementPtr& element, const std::string& tag, double otherwise) {
  if (!element->HasElement(tag)) {
    return otherwise;
  }
  std::istringstream text(element->GetElement(tag)->GetValue()->GetAsString());
  text.imbue(std::locale::classic());
  double number = otherwise;
  text >> number;
  return std::isfinite(number) ? number : otherwise;
}

/// What an axis is described to follow: `<mimic>` of SDF 1.11, which Gazebo 11 does not read.
std::optional<Mimicry> MimicOf(const NameIndex& joints, const JointEntity& entity) {
  const sdf::ElementPtr joint = entity.joint->GetSDF();
  const std::string tag = entity.axis == 0 ? "axis" : "axis2";
  const sdf::ElementPtr axis = joint->HasElement(tag) ? joint->GetElement(tag) : nullptr;
  if (!axis || !axis->HasElement("mimic")) {
    return std::nullopt;
  }
  const sdf::ElementPtr mimic = axis->GetElement("mimic");
  const sdf::ParamPtr name = mimic->GetAttribute("joint");
  const std::string own = entity.joint->GetScopedName();
  const std::string scope = own.substr(0, own.size() - entity.joint->GetName().size());
  const auto leader = name ? joints.Find(scope + name->GetAsString()) : std::nullopt;
  if (!leader) {
    return std::nullopt;
  }
  const double multiplier = NumberIn(mimic, "multiplier", 1.0);
  return Mimicry{*leader, multiplier,
                 NumberIn(mimic, "offset", 0.0) - multiplier * NumberIn(mimic, "reference", 0.0)};
}

/// The rows of the models that a link lies in.
std::vector<Row> ModelsAround(const NameIndex& models, const physics::LinkPtr& link) {
  std::vector<Row> rows;
  for (physics::BasePtr part = link; part; part = part->GetParent()) {
    const auto row =
        part->HasType(physics::Base::MODEL) ? models.Find(part->GetScopedName()) : std::nullopt;
    if (row) {
      rows.push_back(*row);
    }
  }
  return rows;
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

/// How a link is turned in the world as described; nothing is the world.
Quaterniond DescribedTurn(const physics::LinkPtr& link) {
  Quaterniond turn;
  for (physics::BasePtr part = link; part; part = part->GetParent()) {
    const auto entity = boost::dynamic_pointer_cast<physics::Entity>(part);
    if (entity) {
      turn = entity->InitialRelativePose().Rot() * turn;
    }
  }
  return turn;
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

/// Which links are joined to which.
class EntityIndex::Connections {
 public:
  explicit Connections(std::vector<Joined> joined)
      : joined_(std::move(joined)), seen_(joined_.size(), 0) {}

  struct Group {
    std::vector<Row> links;  ///< all but the first one
    int to_world = 0;        ///< their joints to the world
    bool is_loop = false;    ///< the first one is joined to `across` in more than one way
  };

  /// The links that are joined to one, directly or not.
  ///
  /// \param across a link on the other side of a joint of the first one, which is left out
  Group Around(Row first, std::optional<Row> across) {
    ++search_;
    Group group;
    std::vector<Row> open = {first};
    seen_[first] = search_;
    int direct = 0;
    while (!open.empty()) {
      const Row link = open.back();
      open.pop_back();
      group.to_world += joined_[link].to_world;
      for (const Row next : joined_[link].links) {
        if (across && next == *across) {
          group.is_loop = group.is_loop || link != first || ++direct > 1;
        } else if (seen_[next] != search_) {
          seen_[next] = search_;
          open.push_back(next);
          group.links.push_back(next);
        }
      }
    }
    return group;
  }

 private:
  std::vector<Joined> joined_;
  std::vector<std::uint64_t> seen_;  // the search that has come to each link
  std::uint64_t search_ = 0;
};

EntityIndex::EntityIndex(const physics::WorldPtr& world, std::uint64_t generation)
    : watch_(world), generation_(generation) {
  Build();
}

bool EntityIndex::Update() {
  if (!watch_.Update()) {
    return false;
  }
  ++generation_;
  past_.push_front(std::move(names_));
  if (past_.size() > kRemembered) {
    past_.pop_back();
  }
  Build();
  return true;
}

const NameIndex* EntityIndex::NamesOf(Table table, std::uint64_t generation) const {
  const auto number = static_cast<std::size_t>(table);
  if (generation == generation_) {
    return &names_[number];
  }
  const std::uint64_t age = generation_ - generation;  // wraps around for one to come
  return age <= past_.size() ? &past_[age - 1][number] : nullptr;
}

void EntityIndex::Build() {
  names_ = {};
  models_.clear();
  links_.clear();
  visuals_.clear();
  lights_.clear();
  joints_.clear();
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
  links_.push_back({link, link->IsStatic(), {}, {}, {}});
  for (const auto& [id, message] : link->Visuals()) {
    if (At(Table::kVisuals).Add(message.name())) {
      visuals_.push_back({link, id});
    }
  }
  for (unsigned int child = 0; child < link->GetChildCount(); ++child) {
    AddLight(boost::dynamic_pointer_cast<physics::Light>(link->GetChild(child)));
  }
  for (auto child = link->GetSDF()->GetFirstElement(); child; child = child->GetNextElement()) {
    const bool is_sensor = child->GetName() == "sensor" || child->GetName() == kHiddenSensor;
    if (is_sensor && IsCamera(child->Get<std::string>("type"))) {
      cameras_.push_back(name + "::" + child->Get<std::string>("name"));
    }
  }
}

void EntityIndex::AddLight(const physics::LightPtr& light) {
  if (light && At(Table::kLights).Add(light->GetScopedName())) {
    lights_.push_back(light);
  }
}

void EntityIndex::Join() {
  const NameIndex& names = Names(Table::kLinks);
  const NameIndex& models = Names(Table::kModels);
  std::vector<Joined> joined(links_.size());
  for (const auto& owner : models_) {
    for (const auto& joint : owner.model->GetJoints()) {
      const auto parent = RowOf(names, joint->GetParent());
      const auto child = RowOf(names, joint->GetChild());
      const Reason reason = "joint '" + joint->GetScopedName() + "' holds it";
      if (child) {
        links_[*child].held = reason;
      }
      if (parent && child) {
        joined[*parent].links.push_back(*child);
        joined[*child].links.push_back(*parent);
      } else if (parent || child) {
        ++joined[parent ? *parent : *child].to_world;
      }
      std::vector<Row> around = ModelsAround(models, joint->GetParent());
      const std::vector<Row> others = ModelsAround(models, joint->GetChild());
      around.insert(around.end(), others.begin(), others.end());
      for (const Row row : around) {
        ModelEntity& entity = models_[row];
        const bool has_parent = Has(entity.links, parent);
        const bool has_child = Has(entity.links, child);
        if (has_parent != has_child) {
          entity.held = reason;
        } else if (has_parent && (joint->DOF() > 0 || IsBall(joint))) {
          entity.flexible = true;
        }
      }
    }
  }
  Connections connections(std::move(joined));
  for (Row root = 0; root < links_.size(); ++root) {
    if (links_[root].held.empty()) {
      links_[root].carried = connections.Around(root, std::nullopt).links;
      links_[root].top = root;
      for (const Row link : links_[root].carried) {
        links_[link].top = root;
      }
    }
  }
  for (const auto& owner : models_) {
    for (const auto& joint : owner.model->GetJoints()) {
      AddJoint(joint, connections);
    }
  }
  FindLeaders();
}

void EntityIndex::FindLeaders() {
  std::vector<std::optional<Mimicry>> described;
  for (const JointEntity& entity : joints_) {
    described.push_back(MimicOf(Names(Table::kJoints), entity));
  }
  for (Row row = 0; row < joints_.size(); ++row) {
    std::optional<Mimicry> mimic = described[row];
    std::size_t steps = 0;
    while (mimic && described[mimic->leader] && ++steps <= joints_.size()) {
      const Mimicry next = *described[mimic->leader];
      mimic = Mimicry{next.leader, mimic->multiplier * next.multiplier,
                      mimic->multiplier * next.offset + mimic->offset};
    }
    if (mimic && joints_[mimic->leader].is_ball) {
      mimic = std::nullopt;
    }
    if (steps <= joints_.size()) {  // or they follow each other in a circle
      joints_[row].mimic = mimic;
    }
  }
}

void EntityIndex::AddJoint(const physics::JointPtr& joint, Connections& connections) {
  const auto child = RowOf(Names(Table::kLinks), joint->GetChild());
  const bool slides = joint->HasType(physics::Base::SLIDER_JOINT);
  unsigned int axes = 0;
  if (slides || joint->HasType(physics::Base::HINGE_JOINT)) {
    axes = 1;
  } else if (joint->HasType(physics::Base::UNIVERSAL_JOINT)) {
    axes = 2;
  } else if (IsBall(joint)) {
    axes = 3;
  }
  if (!child || axes == 0) {
    return;
  }
  JointEntity entity;
  entity.joint = joint;
  entity.slides = slides;
  entity.is_ball = IsBall(joint);
  if (entity.is_ball) {
    entity.described =
        DescribedTurn(joint->GetParent()).Inverse() * DescribedTurn(joint->GetChild());
  }
  entity.parent = RowOf(Names(Table::kLinks), joint->GetParent());
  entity.child = *child;
  Connections::Group group = connections.Around(*child, entity.parent);
  entity.carried = std::move(group.links);
  if (links_[*child].is_static) {
    entity.held = "its link is static";
  } else if (group.is_loop || group.to_world > (entity.parent ? 0 : 1)) {
    entity.held = "it is part of a loop";
  }
  const std::string name = joint->GetScopedName();
  for (; entity.axis < axes; ++entity.axis) {
    const std::string suffix = entity.axis == 0 ? "" : "::" + std::to_string(entity.axis + 1);
    if (At(Table::kJoints).Add(name + suffix)) {
      joints_.push_back(entity);
    }
  }
}

}  // namespace gazebo_batch_state
