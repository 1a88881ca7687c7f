// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/entity_services.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/sensors/Sensor.hh>
#include <gazebo/sensors/SensorManager.hh>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "gazebo_batch_state/limits.hpp"
#include "gazebo_batch_state/poll.hpp"
#include "gazebo_batch_state/ros_values.hpp"
#include "gazebo_batch_state/services.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

using gazebo::sensors::SensorManager;

constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kTurn = std::chrono::seconds(1);         // how long the world stands still at a time
constexpr auto kRest = std::chrono::milliseconds(100);  // how long it goes on in between

/// Whether a model or light of the world itself has the name.
bool IsTaken(const EntityIndex& index, const std::string& name) {
  return index.Names(Table::kModels).Find(name) || index.Names(Table::kLights).Find(name);
}

/// Adds the names of all lights of a model.
void ListLights(const EntityIndex& index, const std::string& model,
                std::vector<std::string>& names) {
  for (const std::string& light : index.Names(Table::kLights).Names()) {
    if (light.compare(0, model.size() + 2, model + "::") == 0) {
      names.push_back(light);
    }
  }
}

/// Adds Gazebo's names of all sensors of a model and of those nested in it.
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

/// Waits for Gazebo's main thread. Not with access to the world.
///
/// \throws std::runtime_error if the server ends
template <class Condition>
void WaitUntil(const BatchWorld& world, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition() && std::chrono::steady_clock::now() < deadline) {
    world.CheckGoesOn();
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace

void EntityServices::SpawnModels(msg::SpawnModels::Request& request,
                                 msg::SpawnModels::Response& response) {
  const std::size_t count = request.requests.size();
  CheckCount("models", count, kMostModels);
  response.success.resize(count);
  response.messages.resize(count);
  for (const msg::SpawnRequest& wanted : request.requests) {
    spawner_.WaitUntilFree(wanted.name);
  }
  Spawn(request, response);
  // A sensor that is removed before it was started would stay for ever.
  WaitUntil(world_, [] { return SensorManager::Instance()->SensorsInitialized(); });
  pictures_.Settle();
}

void EntityServices::Spawn(const msg::SpawnModels::Request& request,
                           msg::SpawnModels::Response& response) {
  std::set<std::string> spawned;
  for (std::size_t number = 0; number < request.requests.size();) {
    if (number > 0) {  // who gives the lock back may have it again before the world wakes
      std::this_thread::sleep_for(kRest);
    }
    number = SpawnFrom(number, request, response, spawned);
  }
}

std::size_t EntityServices::SpawnFrom(std::size_t number, const msg::SpawnModels::Request& request,
                                      msg::SpawnModels::Response& response,
                                      std::set<std::string>& spawned) {
  BatchWorld::Access access(world_);
  access.KeepLoopOut();
  const auto end = std::chrono::steady_clock::now() + kTurn;
  do {
    world_.CheckGoesOn();
    const msg::SpawnRequest& wanted = request.requests[number];
    std::string missing;
    Reason reason;
    try {
      reason = spawned.count(wanted.name) > 0
                   ? "an earlier request of the same call has the name '" + wanted.name + "'"
                   : Spawn(access, wanted, missing);
    } catch (const std::exception& error) {
      reason = error.what();
    }
    response.success[number] = reason.empty() ? 1 : 0;
    if (reason.empty()) {
      spawned.insert(wanted.name);
    }
    response.messages[number] = reason.empty() ? missing : reason;
    ++number;
  } while (number < request.requests.size() && std::chrono::steady_clock::now() < end);
  access.Refresh();
  shared_.Write(access);
  return number;
}

Reason EntityServices::Spawn(BatchWorld::Access& access, const msg::SpawnRequest& request,
                             std::string& missing) {
  if (IsTaken(access.Index(), request.name)) {
    return "there is a model or light '" + request.name + "' already";
  }
  std::array<double, 7> numbers{};
  CopyPose(request.pose, numbers.data());
  Reason reason = CheckCell(Layout(Table::kModels).column[kPose], numbers.data());
  if (!reason.empty()) {
    return reason;
  }
  const Pose3d pose =
      Compose(FrameState(access, request.reference_frame).pose, PoseOf(numbers.data()));
  Description description = reader_.Read(request.xml, request.name, pose);
  missing = std::move(description.missing);
  return spawner_.Spawn(description, pose);
}

void EntityServices::DeleteModels(msg::DeleteModels::Request& request,
                                  msg::DeleteModels::Response& response) {
  const std::size_t count = request.names.size();
  CheckCount("models", count, kMostModels);
  response.success.resize(count);
  response.messages.resize(count);
  std::set<std::string> done;
  std::set<std::string> lights;
  std::vector<std::string> carried;  // lights of models
  std::vector<std::string> sensors;
  {
    BatchWorld::Access access(world_);
    access.KeepLoopOut();
    const EntityIndex& index = access.Index();
    for (std::size_t number = 0; number < count; ++number) {
      const std::string& name = request.names[number];
      Reason& reason = response.messages[number];
      const auto model = index.Names(Table::kModels).Find(name);
      const bool light = index.Names(Table::kLights).Find(name).has_value();
      if (!(model || light) || done.count(name) > 0) {
        reason = "there is no model or light '" + name + "'";
      } else if (name.find("::") != std::string::npos) {
        reason =
            "'" + name + "' is a part of '" + name.substr(0, name.find("::")) + "': delete that";
      } else if (model) {
        ListLights(index, name, carried);
        ListSensors(index.Models()[*model].model, sensors);
        spawner_.DeleteModel(access, *model);
      } else {
        spawner_.RequestLightDeletion(name);
        lights.insert(name);
      }
      response.success[number] = reason.empty() ? 1 : 0;
      if (reason.empty()) {
        done.insert(name);
      }
    }
    access.Refresh();
    shared_.Write(access);
  }
  for (const std::string& light : lights) {
    WaitUntilGone(light);
  }
  WaitUntil(world_, [&sensors] {  // a camera of the same name cannot be made before
    return std::none_of(sensors.begin(), sensors.end(), [](const std::string& name) {
      return SensorManager::Instance()->GetSensor(name) != nullptr;
    });
  });
  pictures_.RemoveLights(std::move(carried));
  pictures_.Settle();
}

void EntityServices::WaitUntilGone(const std::string& light) {
  world_.Steps().Release();  // lights are removed by the loop of the world's thread
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (BatchWorld::Access(world_).Index().Names(Table::kLights).Find(light)) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("Gazebo does not remove light '" + light + "'");
    }
    world_.CheckGoesOn();
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace gazebo_batch_state
