// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/picture_library.hpp"

#include <dlfcn.h>

#include <gazebo/common/Events.hh>
#include <gazebo/msgs/msgs.hh>
#include <gazebo/physics/World.hh>
#include <gazebo/rendering/RenderEngine.hh>
#include <stdexcept>
#include <utility>

namespace gazebo_batch_state {
namespace {

constexpr const char* kLibrary = "libgazebo_batch_state_pictures.so";

/// A file in the folder that this library was loaded from.
std::string Beside(const std::string& file) {
  Dl_info self{};
  const bool found = dladdr(reinterpret_cast<const void*>(&WhyNoPictures), &self) != 0;
  const std::string path = found ? self.dli_fname : "";
  return path.substr(0, path.rfind('/') + 1) + file;
}

/// Loads the library, for good: Gazebo owns objects of it to the end.
MakePictures Load() {
  void* library = dlopen(Beside(kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = library != nullptr ? dlsym(library, kMakePictures) : nullptr;
  if (found == nullptr) {
    throw std::runtime_error(std::string("cannot take pictures: ") + dlerror());
  }
  return reinterpret_cast<MakePictures>(found);
}

}  // namespace

Reason WhyNoPictures() {
  using gazebo::rendering::RenderEngine;
  return RenderEngine::Instance()->GetRenderPathType() != RenderEngine::NONE
             ? Reason()
             : "this gzserver renders nothing: it found no display when it was started "
               "(DISPLAY; Xvfb makes one without a screen)";
}

PictureLibrary::PictureLibrary(BatchWorld& world)
    : world_(world),
      ambient_(gazebo::msgs::Convert(world.World()->SceneMsg().ambient())),
      rendered_(gazebo::event::Events::ConnectPreRender([this] { rendering_ = true; })) {}

Pictures& PictureLibrary::Loaded() {
  if (!pictures_) {
    pictures_.reset(Load()({world_, ambient_, stopped_}));
  }
  return *pictures_;
}

void PictureLibrary::GetImage(gazebo_batch_state_msgs::GetImage::Request& request,
                              gazebo_batch_state_msgs::GetImage::Response& response) {
  response.message = WhyNoPictures();
  if (response.message.empty()) {
    Loaded().GetImage(request, response);
  }
}

void PictureLibrary::RemoveLights(std::vector<std::string> names) {
  if (Draws() && !names.empty()) {
    Loaded().RemoveLights(std::move(names));
  }
}

void PictureLibrary::Settle() {
  if (Draws()) {
    Loaded().Settle();
  }
}

}  // namespace gazebo_batch_state
