// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/renderer.hpp"

#include <algorithm>
#include <chrono>
#include <gazebo/common/Events.hh>
#include <gazebo/rendering/Light.hh>
#include <gazebo/rendering/Scene.hh>
#include <thread>
#include <utility>

#include "gazebo_batch_state/scene_sync.hpp"

namespace gazebo_batch_state {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);  // until the scene has heard of a light
constexpr auto kPoll = std::chrono::milliseconds(1);

}  // namespace

Renderer::Renderer(std::string world)
    : world_(std::move(world)),
      rendered_(gazebo::event::Events::ConnectPreRender([this] { rendering_ = true; })) {}

void Renderer::Run(const std::function<void(PictureSensor&)>& work) {
  if (!sensor_) {
    sensor_ = PictureSensor::Install(world_);
  }
  sensor_->Run([this, &work] { work(*sensor_); }, stopped_);
}

bool Renderer::Draws() const { return rendering_ && PictureSensor::WhyNone().empty(); }

void Renderer::RemoveLights(std::vector<std::string> names) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (Draws() && !names.empty() && !stopped_ && std::chrono::steady_clock::now() < deadline) {
    Run([&names](PictureSensor& sensor) {
      gazebo::rendering::Scene& scene = sensor.Scene();
      const auto remove = [&scene](const std::string& name) {
        const gazebo::rendering::LightPtr light = scene.LightByName(name);
        if (light) {
          scene.RemoveLight(light);
        }
        return light != nullptr;
      };
      names.erase(std::remove_if(names.begin(), names.end(), remove), names.end());
    });
    if (!names.empty()) {
      std::this_thread::sleep_for(kPoll);
    }
  }
}

void Renderer::Settle(BatchWorld& world) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  bool settled = !Draws();
  while (!settled && !stopped_ && std::chrono::steady_clock::now() < deadline) {
    SceneState state;
    {
      const BatchWorld::Access access(world);
      state = Observe(access);
    }
    Run([&](PictureSensor& sensor) {
      settled = gazebo_batch_state::Settle(sensor.Scene(), state).empty();
    });
    if (!settled) {
      world.Steps().Release();  // entities are told to those that render by the world's loop
      std::this_thread::sleep_for(kPoll);
    }
  }
}

}  // namespace gazebo_batch_state
