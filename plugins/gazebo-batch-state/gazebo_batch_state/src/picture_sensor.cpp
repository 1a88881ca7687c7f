// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/picture_sensor.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <gazebo/common/Events.hh>
#include <gazebo/rendering/Camera.hh>
#include <gazebo/rendering/RenderingIface.hh>
#include <gazebo/rendering/Scene.hh>
#include <gazebo/sensors/SensorFactory.hh>
#include <gazebo/sensors/SensorManager.hh>
#include <gazebo/sensors/SensorsIface.hh>
#include <sdf/sdf.hh>
#include <set>
#include <stdexcept>
#include <thread>

#include "gazebo_batch_state/poll.hpp"
#include "gazebo_batch_state/scene_sync.hpp"

namespace gazebo_batch_state {
namespace {

namespace rendering = gazebo::rendering;
namespace sensors = gazebo::sensors;

constexpr const char* kName = "gazebo_batch_state_pictures";
constexpr auto kLookAround = std::chrono::milliseconds(50);
constexpr auto kPatience = std::chrono::seconds(5);  // until Gazebo's thread takes up the work
constexpr std::size_t kMostCameras = 8;  // kept, one for each size: to make one takes milliseconds

sensors::Sensor* MakeSensor() { return new PictureSensor; }

sdf::ElementPtr Described(const char* schema) {
  sdf::ElementPtr element(new sdf::Element);
  sdf::initFile(schema, element);
  return element;
}

}  // namespace

std::shared_ptr<PictureSensor> PictureSensor::Install(const std::string& world,
                                                      const std::atomic<bool>& stopped) {
  sensors::SensorFactory::RegisterSensor(kName, &MakeSensor);
  const sdf::ElementPtr description = Described("sensor.sdf");
  description->GetAttribute("name")->Set(kName);
  description->GetAttribute("type")->Set(kName);
  const std::string name =
      sensors::SensorManager::Instance()->CreateSensor(description, world, kName, 0);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!stopped && std::chrono::steady_clock::now() < deadline) {
    auto sensor = std::dynamic_pointer_cast<PictureSensor>(
        sensors::SensorManager::Instance()->GetSensor(name));
    if (sensor) {
      return sensor;
    }
    std::this_thread::sleep_for(kPoll);
  }
  throw std::runtime_error("Gazebo does not start to render");
}

PictureSensor::PictureSensor() : Sensor(sensors::IMAGE) {}

void PictureSensor::Init() {
  Sensor::Init();
  scene = rendering::get_scene(WorldName());
  if (!scene) {
    scene = rendering::create_scene(WorldName(), false, true);
  }
  rendered_ = gazebo::event::Events::ConnectRender([this] { OnRender(); });
}

void PictureSensor::Fini() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    rendered_.reset();
    RemoveCameras();
    depth_camera_.reset();
    ended_ = true;
    done_.notify_all();
  }
  Sensor::Fini();
}

void PictureSensor::Run(const std::function<void()>& work, const std::atomic<bool>& stopped) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::unique_lock<std::mutex> lock(mutex_);
  failure_.clear();
  wanted_ = &work;
  while (wanted_ != nullptr) {
    done_.wait_for(lock, kLookAround);
    const bool late = std::chrono::steady_clock::now() > deadline;
    if (wanted_ != nullptr && (ended_ || stopped || late)) {
      wanted_ = nullptr;
      failure_ = late ? "Gazebo's thread that renders is busy" : "the server ends";
    }
  }
  if (!failure_.empty()) {
    throw std::runtime_error(failure_);
  }
}

void PictureSensor::OnRender() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (wanted_ == nullptr) {
    return;
  }
  try {
    (*wanted_)();
  } catch (const std::exception& error) {
    failure_ = error.what();
  } catch (...) {  // Gazebo throws what is no std::exception
    failure_ = "Gazebo cannot do it";
  }
  wanted_ = nullptr;
  done_.notify_all();
}

rendering::Scene& PictureSensor::Scene() {
  if (!scene) {
    throw std::runtime_error("Gazebo could not make a scene to render");
  }
  return *scene;
}

void PictureSensor::Take(Picture& picture) {
  picture.missing = Sync(Scene(), picture.state);
  if (!picture.missing.empty()) {
    return;
  }
  if (!is_lit_) {  // Gazebo tells a new scene of its light at some time, or not at all
    scene->SetAmbientColor(picture.ambient);
    is_lit_ = true;
  }
  if (picture.has_rgb) {
    picture.rgb = Colors(picture);
  }
  if (picture.has_depth) {
    if (!depth_camera_) {
      depth_camera_ = std::make_unique<DepthCamera>(Scene());
    }
    picture.depths = depth_camera_->Take(picture.state.parts, picture.pose, picture.lens);
  }
}

std::vector<std::uint8_t> PictureSensor::Colors(const Picture& picture) {
  FollowCameras();
  const Lens& lens = picture.lens;
  const rendering::CameraPtr camera = CameraFor(lens);
  camera->SetHFOV(ignition::math::Angle(lens.horizontal_fov));
  camera->SetClipDist(static_cast<float>(lens.near), static_cast<float>(lens.far));
  camera->SetWorldPose(picture.pose);
  camera->Render(true);
  camera->PostRender();
  const unsigned char* pixels = camera->ImageData();
  if (pixels == nullptr) {
    throw std::runtime_error("Gazebo rendered nothing");
  }
  return {pixels, pixels + std::size_t{3} * lens.width * lens.height};
}

rendering::CameraPtr PictureSensor::CameraFor(const Lens& lens) {
  const Size size(lens.width, lens.height);
  const auto known = cameras_.find(size);
  if (known != cameras_.end()) {
    return known->second;
  }
  if (cameras_.size() >= kMostCameras) {
    RemoveCameras();
  }
  const sdf::ElementPtr description = Described("camera.sdf");
  const sdf::ElementPtr image = description->GetElement("image");
  image->GetElement("width")->Set(static_cast<int>(lens.width));
  image->GetElement("height")->Set(static_cast<int>(lens.height));
  const std::string name =
      kName + ("_" + std::to_string(lens.width)) + "x" + std::to_string(lens.height);
  rendering::CameraPtr camera = scene->CreateCamera(name, false);
  camera->SetCaptureData(true);
  camera->Load(description);
  camera->Init();
  camera->CreateRenderTexture(name + "_texture");
  cameras_.emplace(size, camera);
  return camera;
}

void PictureSensor::FollowCameras() {
  std::set<rendering::CameraPtr> present;
  for (std::uint32_t number = 0; number < scene->CameraCount(); ++number) {
    present.insert(scene->GetCamera(number));
  }
  for (const auto& [size, ours] : cameras_) {
    present.erase(ours);
  }
  if (std::any_of(seen_.begin(), seen_.end(),
                  [&present](const auto& camera) { return present.count(camera.lock()) == 0; })) {
    RemoveCameras();
  }
  seen_.assign(present.begin(), present.end());
}

void PictureSensor::RemoveCameras() {
  for (const auto& [size, camera] : cameras_) {
    scene->RemoveCamera(camera->Name());
  }
  cameras_.clear();
}

}  // namespace gazebo_batch_state
