// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ignition/math/Pose3.hh>
#include <sdf/sdf.hh>
#include <string>

namespace gazebo_batch_state {

/// One model or light as somebody described it, checked and under another name.
struct Description {
  std::string name;
  bool is_light;
  sdf::ElementPtr element;  ///< a `<model>` or `<light>` in the newest version of SDF
  std::string missing;  ///< plugins and meshes of visuals that Gazebo will leave out, or nothing
};

/// Reads descriptions. Keeps a document with SDF's schema, because making one takes 0.1 s, and what
/// it has read last: many models are often copies of one.
class DescriptionReader {
 public:
  DescriptionReader();

  /// Reads SDF or URDF.
  ///
  /// \param name replaces the name in the XML
  /// \param pose replaces the pose in the XML
  /// \throws std::invalid_argument saying what is wrong with it
  Description Read(const std::string& xml, const std::string& name,
                   const ignition::math::Pose3d& pose);

 private:
  /// Copies a model or light with all digits; sdformat's own Clone keeps six.
  sdf::ElementPtr Copy(const sdf::ElementPtr& element);

  /// Reads and checks one model or light.
  void ReadDocument(const std::string& xml);

  sdf::SDFPtr document_;
  sdf::SDFPtr copy_;     // the schema for copies; has nothing in it
  std::string read_;     // the XML in it; empty if that cannot be used
  std::string missing_;  // what Gazebo leaves out of it
};

/// How many children with a tag an element has.
std::size_t CountChildren(const sdf::ElementPtr& parent, const std::string& tag);

}  // namespace gazebo_batch_state
