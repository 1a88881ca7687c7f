// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/weak_ptr.hpp>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <gazebo/rendering/RenderTypes.hh>
#include <gazebo/sensors/Sensor.hh>
#include <ignition/math/Color.hh>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gazebo_batch_state/depth_camera.hpp"
#include "gazebo_batch_state/lens.hpp"
#include "gazebo_batch_state/scene_state.hpp"

namespace gazebo_batch_state {

/// A picture to be taken, and what came of it.
struct Picture {
  SceneState state;
  Pose3d pose;   ///< of the camera, world frame; it looks along +x, +z is up
  Pose3d mount;  ///< of a camera sensor, in the frame of its link
  Lens lens;
  ignition::math::Color ambient;  ///< light of the world's description
  bool has_rgb = true;
  bool has_depth = false;
  std::vector<std::uint8_t> rgb;  ///< row by row from the upper left
  DepthImage depths;
  Reason missing;  ///< what Gazebo does not show yet: try again
};

/// Takes pictures on the thread on which gzserver renders.
///
/// Gazebo renders only while it has an image sensor, and tells sensors alone when it does so; so
/// this is one, of its own kind, that measures nothing. Gazebo owns it and ends it on that thread.
class PictureSensor : public gazebo::sensors::Sensor {
 public:
  /// Adds one to a world, once; not with access to the world.
  ///
  /// \param stopped whether the server ends: then this does not wait
  /// \throws std::runtime_error if Gazebo does not start it in time
  static std::shared_ptr<PictureSensor> Install(const std::string& world,
                                                const std::atomic<bool>& stopped);

  PictureSensor();
  void Init() override;
  void Fini() override;

  /// Has some work done on the thread that renders, and waits for it on any other.
  ///
  /// \param stopped looked at now and then: whether to give up
  /// \throws std::runtime_error if it is given up, takes too long or fails
  void Run(const std::function<void()>& work, const std::atomic<bool>& stopped);

  // For such work

  /// What Gazebo draws.
  ///
  /// \throws std::runtime_error if there is none
  gazebo::rendering::Scene& Scene();

  /// Takes a picture, or says in it what is missing.
  void Take(Picture& picture);

 private:
  void OnRender();
  std::vector<std::uint8_t> Colors(const Picture& picture);
  gazebo::rendering::CameraPtr CameraFor(const Lens& lens);
  void RemoveCameras();

  /// Makes our cameras anew after one of Gazebo's has gone: textures of one size share what they
  /// draw into, and go on showing their last picture without it.
  void FollowCameras();

  std::mutex mutex_;  // of all below; held while work is done
  std::condition_variable done_;
  const std::function<void()>* wanted_ = nullptr;
  Reason failure_;
  bool ended_ = false;
  bool is_lit_ = false;
  using Size = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Size, gazebo::rendering::CameraPtr> cameras_;
  std::unique_ptr<DepthCamera> depth_camera_;
  std::vector<boost::weak_ptr<gazebo::rendering::Camera>> seen_;  // Gazebo's that were in the scene
  gazebo::event::ConnectionPtr rendered_;
};

}  // namespace gazebo_batch_state
