// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo/rendering/ogre_gazebo.h>

#include <cstdint>
#include <gazebo/rendering/RenderTypes.hh>
#include <string>
#include <vector>

#include "gazebo_batch_state/lens.hpp"
#include "gazebo_batch_state/scene_state.hpp"

namespace gazebo_batch_state {

/// What a camera sees first through the middle of each pixel, row by row from the upper left.
struct DepthImage {
  std::vector<float> depth;         ///< along the optical axis [m]; inf for nothing
  std::vector<std::int32_t> drawn;  ///< which of the links; -1 for nothing and for heightmaps
  std::vector<std::string> links;   ///< that have something to draw
};

/// Draws depths and links instead of colours, for the thread that renders.
///
/// One pass draws both: materials are replaced by one that writes numbers into a picture of floats.
class DepthCamera {
 public:
  explicit DepthCamera(gazebo::rendering::Scene& scene);
  ~DepthCamera();
  DepthCamera(const DepthCamera&) = delete;
  DepthCamera& operator=(const DepthCamera&) = delete;

  /// Takes a picture of the scene as it is.
  ///
  /// \param parts the models and links in it
  /// \param pose of the camera, world frame; it looks along +x, +z is up
  DepthImage Take(const std::vector<SceneState::Part>& parts, const Pose3d& pose, const Lens& lens);

 private:
  void Resize(std::uint32_t width, std::uint32_t height);

  gazebo::rendering::Scene& scene_;
  Ogre::Camera* camera_;
  Ogre::TexturePtr picture_;
};

}  // namespace gazebo_batch_state
