// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/renderer.hpp"

#include <algorithm>
#include <chrono>
#include <gazebo/rendering/Light.hh>
#include <gazebo/rendering/Scene.hh>
#include <thread>

#include "gazebo_batch_state/poll.hpp"
#include "gazebo_batch_state/scene_sync.hpp"

namespace gazebo_batch_state {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);  // until the scene has heard of a light
constexpr auto kRepairAfter = std::chrono::milliseconds(200);  // where it has not of a model

}  // namespace

void Renderer::Run(const std::function<void(PictureSensor&)>& work) {
  if (!sensor_) {
    sensor_ = PictureSensor::Install(world_, stopped_);
  }
  sensor_->Run([this, &work] { work(*sensor_); }, stopped_);
}

void Renderer::RemoveLights(std::vector<std::string> names) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!names.empty() && !stopped_ && std::chrono::steady_clock::now() < deadline) {
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
  const auto start = std::chrono::steady_clock::now();
  bool settled = false;
  while (!settled && !stopped_ && std::chrono::steady_clock::now() < start + kPatience) {
    const bool late = std::chrono::steady_clock::now() > start + kRepairAfter;
    SceneState state;
    std::vector<gazebo::msgs::Model> models;
    {
      const BatchWorld::Access access(world);
      state = Observe(access);
      if (late) {
        models = Describe(access);
      }
    }
    Run([&](PictureSensor& sensor) {
      if (late) {
        Repair(sensor.Scene(), state, models);
      }
      settled = gazebo_batch_state::Settle(sensor.Scene(), state).empty();
    });
    if (!settled) {
      world.Steps().Release();  // entities are told to those that render by the world's loop
      std::this_thread::sleep_for(kPoll);
    } else if (late) {
      Run([](PictureSensor& /*sensor*/) {});  // a frame, in which Gazebo takes up what waited
    }
  }
}

}  // namespace gazebo_batch_state
