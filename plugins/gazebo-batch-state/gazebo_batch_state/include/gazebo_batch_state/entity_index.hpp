// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <gazebo/physics/PhysicsTypes.hh>
#include <optional>
#include <string>
#include <vector>

#include "gazebo_batch_state/entity_watch.hpp"
#include "gazebo_batch_state/flat_codec.hpp"
#include "gazebo_batch_state/name_index.hpp"
#include "gazebo_batch_state/rigid_motion.hpp"

namespace gazebo_batch_state {

using Row = std::uint32_t;

/// What a row of the table of links stands for.
struct LinkEntity {
  gazebo::physics::LinkPtr link;
  bool is_static = false;
  Reason held;               ///< the joint that holds it, if it is the child of one
  std::vector<Row> carried;  ///< other links that go where it goes: joined to it, if it is a root
  std::optional<Row> top;    ///< the root that carries it, or itself; nothing in a loop without one
};

/// What a row of the table of models stands for.
struct ModelEntity {
  gazebo::physics::ModelPtr model;
  std::vector<Row> links;   ///< all, those of nested models too
  std::optional<Row> root;  ///< the link that carries the model's frame
  Pose3d frame;             ///< the model's frame in the root's
  bool is_static = false;
  bool flexible = false;  ///< some joint within can move
  bool tracked = false;   ///< Gazebo itself keeps the pose of its frame up to date
  Reason held;            ///< the joint that ties it to something outside, if one does
};

/// What an axis follows: its position is `multiplier` times that of the leader, plus `offset`.
struct Mimicry {
  Row leader = 0;  ///< follows none itself
  double multiplier = 1.0;
  double offset = 0.0;  ///< [rad or m]
};

/// What a row of the table of joints stands for: one axis of a joint.
struct JointEntity {
  gazebo::physics::JointPtr joint;
  unsigned int axis = 0;      ///< of the joint
  bool slides = false;        ///< or it turns
  bool is_ball = false;       ///< its axes are x, y and z of the child
  Quaterniond described;      ///< of a ball joint: the child in the frame of the parent
  std::optional<Row> parent;  ///< the link that it is attached to; nothing: the world
  Row child = 0;
  std::vector<Row> carried;  ///< links that go where the child goes
  Reason held;               ///< why the child cannot be moved alone, or nothing
  std::optional<Mimicry> mimic;
};

/// What a row of the table of visuals stands for.
struct VisualEntity {
  gazebo::physics::LinkPtr link;
  std::uint32_t id = 0;  ///< Gazebo's
};

/// All rows of a world and their names; follows models and lights that come and go.
///
/// Models are in the order of their creation, each followed by those nested in it; links, visuals,
/// lights of links and joints follow in the same order. Not thread-safe.
class EntityIndex {
 public:
  /// Call it where the world does not run yet.
  ///
  /// \param generation the first one
  EntityIndex(const gazebo::physics::WorldPtr& world, std::uint64_t generation);

  /// Brings everything up to date; cheap when nothing changed.
  ///
  /// The caller holds the physics update mutex.
  ///
  /// \return whether rows are others than before: then the generation is another one
  bool Update();

  /// Changes whenever an entity is added or removed.
  std::uint64_t Generation() const { return generation_; }

  const NameIndex& Names(Table table) const { return names_[static_cast<std::size_t>(table)]; }

  /// The names of the present or a recent generation; nothing: it is unknown or too old.
  const NameIndex* NamesOf(Table table, std::uint64_t generation) const;
  const std::vector<ModelEntity>& Models() const { return models_; }
  const std::vector<LinkEntity>& Links() const { return links_; }
  const std::vector<VisualEntity>& Visuals() const { return visuals_; }
  const gazebo::physics::Light_V& Lights() const { return lights_; }
  const std::vector<JointEntity>& Joints() const { return joints_; }

  /// Camera sensors, `model::link::sensor`.
  const std::vector<std::string>& Cameras() const { return cameras_; }

 private:
  struct Joined {
    std::vector<Row> links;
    int to_world = 0;  // joints to the world
  };
  class Connections;

  using AllNames = std::array<NameIndex, kTables>;

  NameIndex& At(Table table) { return names_[static_cast<std::size_t>(table)]; }
  void Build();
  void AddModel(const gazebo::physics::ModelPtr& model);
  void AddLink(const gazebo::physics::LinkPtr& link);
  void AddLight(const gazebo::physics::LightPtr& light);
  void Join();
  void FindLeaders();
  void AddJoint(const gazebo::physics::JointPtr& joint, Connections& connections);

  EntityWatch watch_;
  std::uint64_t generation_;
  AllNames names_;
  std::deque<AllNames> past_;  // of the generations before, the latest first
  std::vector<ModelEntity> models_;
  std::vector<LinkEntity> links_;
  std::vector<VisualEntity> visuals_;
  gazebo::physics::Light_V lights_;
  std::vector<JointEntity> joints_;
  std::vector<std::string> cameras_;
};

}  // namespace gazebo_batch_state
