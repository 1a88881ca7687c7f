// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <gazebo/msgs/msgs.hh>
#include <string>
#include <vector>

#include "gazebo_batch_state/batch_world.hpp"

namespace gazebo_batch_state {

/// What a picture of one instant has to show: a copy, so that nobody waits while it is drawn.
struct SceneState {
  /// A model or link.
  struct Part {
    std::string name;
    std::uint32_t id = 0;  ///< Gazebo's
    Pose3d pose;           ///< in its parent's frame
  };
  /// A visual that no longer looks as described.
  struct Look {
    std::uint32_t id = 0;
    unsigned columns = 0;  ///< those that count, as a mask
    std::array<double, Layout(Table::kVisuals).width> row{};
  };
  struct Light {
    std::string name;
    std::uint32_t id = 0;  ///< Gazebo's
    unsigned columns = 0;
    std::array<double, Layout(Table::kLights).width> row{};
    Pose3d pose;  ///< in the frame of its link or of the world
  };

  std::vector<Part> parts;
  std::vector<Look> looks;
  std::vector<Light> lights;
};

/// The present instant.
SceneState Observe(const BatchWorld::View& view);

/// All top-level models, as Gazebo tells those that render of them.
std::vector<gazebo::msgs::Model> Describe(const BatchWorld::View& view);

}  // namespace gazebo_batch_state
