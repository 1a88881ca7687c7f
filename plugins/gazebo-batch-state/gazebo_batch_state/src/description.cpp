// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/description.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <gazebo/common/CommonIface.hh>
#include <gazebo/common/MeshManager.hh>
#include <gazebo/common/SystemPaths.hh>
#include <stdexcept>

#include "gazebo_batch_state/sdf_text.hpp"
#include "gazebo_batch_state/sensor_types.hpp"
#include "gazebo_batch_state/xml_shape.hpp"

namespace gazebo_batch_state {
namespace {

constexpr std::size_t kDeepest = 500;  // elements within each other

/// The shapes of SDF 1.7; sdformat lets others pass, and they end Gazebo 11.
constexpr std::array<const char*, 9> kShapes = {
    "box", "cylinder", "empty", "heightmap", "image", "mesh", "plane", "polyline", "sphere"};

/// sdformat wants an `<sdf>` around everything but URDF.
std::string Wrapped(const std::string& xml) {
  const XmlShape shape = ShapeOf(xml);
  if (shape.root.empty()) {
    throw std::invalid_argument("the XML has no element in it");
  }
  if (shape.depth > kDeepest) {
    throw std::invalid_argument("the XML has " + std::to_string(shape.depth) +
                                " elements within each other, at most " + std::to_string(kDeepest) +
                                " are read");
  }
  if (shape.root == "model" || shape.root == "light") {
    return "<sdf version='" SDF_VERSION "'>" + xml.substr(shape.start) + "</sdf>";
  }
  return xml;
}

/// Adds a sentence to a list of them, once.
void Add(const std::string& sentence, std::string& list) {
  if (list.find(sentence) == std::string::npos) {
    list += (list.empty() ? "" : "; ") + sentence;
  }
}

std::string Told(const sdf::Errors& errors) {
  std::string text;
  for (const sdf::Error& error : errors) {
    Add(error.Message(), text);
  }
  return text;
}

/// What is wrong with names, joints and inertias; nothing for models with others in them, because
/// sdformat 9 does not know the names within those.
void CheckModel(const sdf::SDFPtr& document) {
  if (document->Root()->GetElement("model")->HasElement("model")) {
    return;
  }
  sdf::Root root;
  const sdf::Errors errors = root.Load(document);
  if (!errors.empty()) {
    throw std::invalid_argument(Told(errors));
  }
}

/// Gives sensors that Gazebo does not know a name that it passes over.
void HideSensors(const sdf::ElementPtr& element) {
  for (auto child = element->GetFirstElement(); child; child = child->GetNextElement()) {
    const std::string name = child->GetName();
    if (name == "model" || name == "link") {
      HideSensors(child);
    } else if (name == "sensor" && IsHidden(child->Get<std::string>("type"))) {
      child->SetName(kHiddenSensor);
    }
  }
}

/// What has a shape, such as `collision 'part'`.
std::string OwnerOf(const sdf::ElementPtr& shape) {
  const sdf::ElementPtr owner = shape->GetParent()->GetParent();
  return owner->GetName() + " '" + owner->Get<std::string>("name") + "'";
}

/// Refuses a heightmap whose picture is not there, which ends Gazebo 11.
void CheckPicture(const sdf::ElementPtr& heightmap) {
  const auto uri = heightmap->Get<std::string>("uri");
  const std::string path = gazebo::common::find_file(uri);
  std::error_code ignored;  // then it is no file
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw std::invalid_argument("the heightmap of " + OwnerOf(heightmap) +
                                " is not on the server: '" + uri + "'");
  }
}

/// Refuses a collision whose mesh Gazebo cannot load, and would leave out.
///
/// \param missing what Gazebo leaves out is added: a visual that it cannot find
void CheckMesh(const sdf::ElementPtr& mesh, std::string& missing) {
  const auto uri = mesh->Get<std::string>("uri");
  const std::string path = gazebo::common::find_file(uri);
  const bool collides = mesh->GetParent()->GetParent()->GetName() == "collision";
  const bool is_there = !path.empty();
  if (collides && (!is_there || !gazebo::common::MeshManager::Instance()->Load(path))) {
    throw std::invalid_argument("the mesh of " + OwnerOf(mesh) +
                                (is_there ? " cannot be loaded: '" : " is not on the server: '") +
                                uri + "'");
  }
  if (!is_there) {
    Add("the mesh of " + OwnerOf(mesh) + " is not on the server: '" + uri + "'", missing);
  }
}

/// Finds a plugin that Gazebo cannot load, the way it does.
void CheckPlugin(const sdf::ElementPtr& plugin, std::string& missing) {
  const auto file = plugin->Get<std::string>("filename");
  std::string path = file;
  for (const std::string& folder : gazebo::common::SystemPaths::Instance()->GetPluginPaths()) {
    std::error_code ignored;  // then it is not there
    if (std::filesystem::exists(folder + "/" + file, ignored)) {
      path = folder + "/" + file;
      break;
    }
  }
  if (dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL) == nullptr) {
    Add("plugin '" + plugin->Get<std::string>("name") + "' cannot be loaded: " + dlerror(),
        missing);
  }
}

/// Finds shapes that Gazebo cannot build, in an element and below it.
///
/// \param missing what Gazebo leaves out is added
void CheckParts(const sdf::ElementPtr& element, std::string& missing) {
  const std::string owner = element->GetName();
  for (auto child = element->GetFirstElement(); child; child = child->GetNextElement()) {
    const std::string tag = child->GetName();
    if (tag == "plugin") {
      if (owner == "model" || owner == "sensor") {
        CheckPlugin(child, missing);
      }
      continue;  // whatever is in it is its own
    }
    if (tag == "collision" && owner == "link") {  // or a contact sensor names it
      const sdf::ElementPtr inside = child->GetElement("geometry")->GetFirstElement();
      if (!inside || inside->GetName() == "empty") {
        throw std::invalid_argument("collision '" + child->Get<std::string>("name") +
                                    "' has no shape");
      }
    }
    if (owner != "geometry") {
      CheckParts(child, missing);
    } else if (std::find(kShapes.begin(), kShapes.end(), tag) == kShapes.end()) {
      throw std::invalid_argument(OwnerOf(child) + " has a <" + tag +
                                  ">, a shape that Gazebo 11 does not have");
    } else if (tag == "heightmap") {
      CheckPicture(child);
    } else if (tag == "mesh") {
      CheckMesh(child, missing);
    }
  }
}

}  // namespace

std::size_t CountChildren(const sdf::ElementPtr& parent, const std::string& tag) {
  std::size_t count = 0;
  if (parent->HasElement(tag)) {
    for (auto child = parent->GetElement(tag); child; child = child->GetNextElement(tag)) {
      ++count;
    }
  }
  return count;
}

DescriptionReader::DescriptionReader() : document_(new sdf::SDF()), copy_(new sdf::SDF()) {
  sdf::init(document_);
  sdf::init(copy_);
}

Description DescriptionReader::Read(const std::string& xml, const std::string& name,
                                    const ignition::math::Pose3d& pose) {
  if (name.empty() || name.find("::") != std::string::npos) {
    throw std::invalid_argument("a name must not be empty and have no '::' in it");
  }
  if (xml != read_ || read_.empty()) {
    read_.clear();
    missing_.clear();
    ReadDocument(xml);
    read_ = xml;
  }
  const sdf::ElementPtr root = document_->Root();
  const bool is_light = root->HasElement("light");
  const sdf::ElementPtr element = root->GetElement(is_light ? "light" : "model");
  element->GetAttribute("name")->Set(name);
  const sdf::ElementPtr place = element->GetElement("pose");
  place->Set(pose);
  if (place->GetAttribute("relative_to")) {
    place->GetAttribute("relative_to")->Reset();
  }
  return {name, is_light, Copy(element), missing_};
}

sdf::ElementPtr DescriptionReader::Copy(const sdf::ElementPtr& element) {
  const std::string text = "<sdf version='" SDF_VERSION "'>" + SdfText(element) + "</sdf>";
  if (!sdf::readString(text, copy_)) {
    throw std::invalid_argument("sdformat cannot read what it has made of it");
  }
  sdf::ElementPtr copied = copy_->Root()->GetElement(element->GetName());
  copied->RemoveFromParent();
  return copied;
}

void DescriptionReader::ReadDocument(const std::string& xml) {
  const std::string text = Wrapped(xml);
  document_->Clear();
  sdf::Errors errors;
  if (!sdf::readString(text, document_, errors) || !errors.empty()) {
    const std::string told = Told(errors);
    throw std::invalid_argument(told.empty() ? "it is neither SDF nor URDF that can be read"
                                             : told);
  }
  const sdf::ElementPtr root = document_->Root();
  const std::size_t models = CountChildren(root, "model");
  const std::size_t lights = CountChildren(root, "light");
  if (models + lights != 1 || root->HasElement("world") || root->HasElement("actor")) {
    throw std::invalid_argument("it must be one model or one light, got " + std::to_string(models) +
                                " models and " + std::to_string(lights) + " lights");
  }
  if (models == 1) {
    CheckParts(root, missing_);
    HideSensors(root);
    CheckModel(document_);
  }
}

}  // namespace gazebo_batch_state
