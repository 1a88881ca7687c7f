// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/picture_services.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/World.hh>
#include <gazebo/sensors/Sensor.hh>
#include <gazebo/sensors/SensorsIface.hh>
#include <thread>
#include <utility>

#include "gazebo_batch_state/limits.hpp"
#include "gazebo_batch_state/poll.hpp"
#include "gazebo_batch_state/ros_values.hpp"
#include "gazebo_batch_state/sdf_values.hpp"
#include "gazebo_batch_state/sensor_types.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(5);
constexpr std::size_t kMostNamed = 20;

Reason Unknown(const std::string& camera, const std::vector<std::string>& known) {
  Reason reason = "there is no camera '" + camera + "'; there ";
  reason += known.empty() ? "is none" : "are: ";
  for (std::size_t number = 0; number < std::min(known.size(), kMostNamed); ++number) {
    reason += (number > 0 ? ", " : "") + known[number];
  }
  return reason + (known.size() > kMostNamed ? " and more" : "");
}

sdf::ElementPtr FindSensor(const gazebo::physics::LinkPtr& link, const std::string& name) {
  for (auto child = link->GetSDF()->GetFirstElement(); child; child = child->GetNextElement()) {
    const bool is_sensor = child->GetName() == "sensor" || child->GetName() == kHiddenSensor;
    if (is_sensor && child->Get<std::string>("name") == name) {
      return child;
    }
  }
  return nullptr;
}

/// The lens of a camera sensor: the leftmost of several.
sdf::ElementPtr LensOf(const sdf::ElementPtr& sensor) {
  sdf::ElementPtr leftmost = Child(sensor, "camera");
  const auto left = [](const sdf::ElementPtr& lens) {
    return ValueOf(lens, "pose", Pose3d::Zero).Pos().Y();
  };
  for (auto lens = leftmost; lens; lens = lens->GetNextElement("camera")) {
    if (left(lens) > left(leftmost)) {
      leftmost = lens;
    }
  }
  return leftmost;
}

/// What is wrong with the size of an answer, if anything is.
Reason CheckSize(const Picture& picture) {
  const std::size_t pixel = (picture.has_rgb ? 3U : 0U) + (picture.has_depth ? 8U : 0U);
  const std::size_t size = pixel * picture.lens.width * picture.lens.height;
  return size <= kLargestMessage ? Reason()
                                 : "the picture would take " + std::to_string(size) +
                                       " bytes, more than " + std::to_string(kLargestMessage);
}

/// Reads where a request has its camera, and with which opening angle.
Reason ReadPlace(const msg::GetImage::Request& request, Pose3d& place, Lens& lens) {
  std::array<double, 7> numbers{};
  CopyPose(request.pose, numbers.data());
  Reason reason = CheckCell(Layout(Table::kModels).column[kPose], numbers.data());
  place = reason.empty() ? PoseOf(numbers.data()) : Pose3d::Zero;
  lens.horizontal_fov = request.horizontal_fov;
  return reason;
}

/// Aims at what a free camera sees.
Reason AimFreely(const msg::GetImage::Request& request, Picture& picture) {
  const Reason reason = ReadPlace(request, picture.pose, picture.lens);
  picture.lens.width = request.width;
  picture.lens.height = request.height;
  return reason.empty() ? CheckLens(picture.lens) : reason;
}

/// Aims at what a camera sensor sees.
///
/// \param sensor what Gazebo has by that name, if it has it already
Reason Aim(const BatchWorld::View& view, const msg::GetImage::Request& request,
           const gazebo::sensors::SensorPtr& sensor, Picture& picture) {
  const std::string& camera = request.camera;
  const auto& known = view.Index().Cameras();
  if (std::find(known.begin(), known.end(), camera) == known.end()) {
    return Unknown(camera, known);
  }
  const std::size_t split = camera.rfind("::");
  const auto row = view.Index().Names(Table::kLinks).Find(camera.substr(0, split));
  const sdf::ElementPtr described =
      FindSensor(view.Index().Links()[row.value()].link, camera.substr(split + 2));
  if (described->Get<std::string>("type") == "wideanglecamera") {
    return "camera '" + camera + "' has a wide angle lens, and pictures are those of a pinhole";
  }
  const sdf::ElementPtr lens = LensOf(described);
  const sdf::ElementPtr image = Child(lens, "image");
  const sdf::ElementPtr clip = Child(lens, "clip");
  picture.lens.horizontal_fov = ValueOf(lens, "horizontal_fov", 1.047);  // SDF's own values
  picture.lens.width = ValueOf(image, "width", 320U);
  picture.lens.height = ValueOf(image, "height", 240U);
  picture.lens.near = ValueOf(clip, "near", 0.1);
  picture.lens.far = ValueOf(clip, "far", 100.0);
  Reason reason = request.mounted != 0 ? ReadPlace(request, picture.mount, picture.lens) : Reason();
  reason = reason.empty() ? CheckLens(picture.lens) : reason;
  if (!reason.empty()) {
    return "camera '" + camera + "': " + reason;
  }
  if (!sensor && described->GetName() != kHiddenSensor) {
    picture.missing = "camera '" + camera + "'";
    return {};
  }
  if (request.mounted == 0) {
    const Pose3d place = sensor ? sensor->Pose() : ValueOf(described, "pose", Pose3d::Zero);
    picture.mount = Compose(place, ValueOf(lens, "pose", Pose3d::Zero));
  }
  picture.pose = Compose(view.StateOf(Table::kLinks, *row).pose, picture.mount);
  return {};
}

}  // namespace

PictureServices::PictureServices(const PictureSetting& setting)
    : world_(setting.world),
      renderer_(setting.world.World()->Name(), setting.stopped),
      ambient_(setting.ambient) {}

void PictureServices::RemoveLights(std::vector<std::string> names) {
  renderer_.RemoveLights(std::move(names));
}

void PictureServices::GetImage(msg::GetImage::Request& request, msg::GetImage::Response& response) {
  const auto deadline = Clock::now() + kPatience;
  while (response.message.empty() && response.success == 0) {
    Picture picture;
    picture.ambient = ambient_;
    picture.has_rgb = request.without_rgb == 0;
    picture.has_depth = request.depth != 0;
    // Not with access to the world: Gazebo may want the world while it holds the sensors.
    const gazebo::sensors::SensorPtr sensor =
        request.camera.empty()
            ? nullptr
            : gazebo::sensors::get_sensor(world_.World()->Name() + "::" + request.camera);
    {
      const BatchWorld::Access access(world_);
      response.message = request.camera.empty() ? AimFreely(request, picture)
                                                : Aim(access, request, sensor, picture);
      response.message += response.message.empty() ? CheckSize(picture) : Reason();
      if (!response.message.empty()) {
        return;
      }
      picture.state = Observe(access);
      response.stamp = TimeOf(access.Now());
    }
    const bool aimed = picture.missing.empty();
    if (aimed) {
      renderer_.Run([&picture](PictureSensor& taker) { taker.Take(picture); });
    }
    if (picture.missing.empty()) {
      response.pose = ToRos(picture.pose);
      response.mount = ToRos(picture.mount);
      response.horizontal_fov = picture.lens.horizontal_fov;
      response.width = picture.lens.width;
      response.height = picture.lens.height;
      response.rgb = std::move(picture.rgb);
      response.depth = std::move(picture.depths.depth);
      response.drawn = std::move(picture.depths.drawn);
      response.links = std::move(picture.depths.links);
      response.success = 1;
    } else if (renderer_.Interrupted() || Clock::now() > deadline) {
      response.message = "Gazebo waits in vain to render " + picture.missing;
    } else if (aimed) {
      renderer_.Settle(world_);
    } else {
      world_.Steps().Release();  // entities are told to those that render by the world's loop
      std::this_thread::sleep_for(kPoll);
    }
  }
}

}  // namespace gazebo_batch_state

/// The library's one function, see MakePictures.
extern "C" gazebo_batch_state::Pictures* gazebo_batch_state_make_pictures(
    const gazebo_batch_state::PictureSetting& setting) {
  return new gazebo_batch_state::PictureServices(setting);
}
