// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/sensor_wait.hpp"

#include <algorithm>
#include <chrono>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/sensors/Sensor.hh>
#include <gazebo/sensors/SensorManager.hh>
#include <thread>

#include "gazebo_batch_state/poll.hpp"

namespace gazebo_batch_state {
namespace {

using gazebo::sensors::SensorManager;

constexpr auto kPatience = std::chrono::seconds(5);

template <class Condition>
void WaitUntil(const BatchWorld& world, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition() && std::chrono::steady_clock::now() < deadline) {
    world.CheckGoesOn();
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace

void ListSensors(const gazebo::physics::ModelPtr& model, std::vector<std::string>& names) {
  for (const auto& link : model->GetLinks()) {
    for (unsigned int number = 0; number < link->GetSensorCount(); ++number) {
      names.push_back(link->GetSensorName(number));
    }
  }
  for (const auto& nested : model->NestedModels()) {
    ListSensors(nested, names);
  }
}

void WaitUntilStarted(const BatchWorld& world) {
  WaitUntil(world, [] { return SensorManager::Instance()->SensorsInitialized(); });
}

void WaitUntilEnded(const BatchWorld& world, const std::vector<std::string>& names) {
  WaitUntil(world, [&names] {
    return std::none_of(names.begin(), names.end(), [](const std::string& name) {
      return SensorManager::Instance()->GetSensor(name) != nullptr;
    });
  });
}

}  // namespace gazebo_batch_state
