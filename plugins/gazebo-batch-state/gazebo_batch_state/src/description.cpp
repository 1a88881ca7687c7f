// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/description.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <gazebo/common/CommonIface.hh>
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

std::string Told(const sdf::Errors& errors) {
  std::string text;
  for (const sdf::Error& error : errors) {
    if (text.find(error.Message()) == std::string::npos) {
      text += (text.empty() ? "" : "; ") + error.Message();
    }
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

/// Refuses a heightmap whose picture is not there, which ends Gazebo 11.
void CheckPicture(const sdf::ElementPtr& heightmap) {
  const auto uri = heightmap->Get<std::string>("uri");
  const std::string path = gazebo::common::find_file(uri);
  std::error_code ignored;  // then it is no file
  if (!std::filesystem::is_regular_file(path, ignored)) {
    const sdf::ElementPtr owner = heightmap->GetParent()->GetParent();
    throw std::invalid_argument("the heightmap of " + owner->GetName() + " '" +
                                owner->Get<std::string>("name") + "' is not on the server: '" +
                                uri + "'");
  }
}

/// Finds shapes that Gazebo cannot build, in an element and below it.
void CheckShapes(const sdf::ElementPtr& element) {
  for (auto child = element->GetFirstElement(); child; child = child->GetNextElement()) {
    const std::string shape = child->GetName();
    if (shape == "collision" && element->GetName() == "link") {  // or a contact sensor names it
      const sdf::ElementPtr inside = child->GetElement("geometry")->GetFirstElement();
      if (!inside || inside->GetName() == "empty") {
        throw std::invalid_argument("collision '" + child->Get<std::string>("name") +
                                    "' has no shape");
      }
    }
    if (element->GetName() != "geometry") {
      CheckShapes(child);
    } else if (std::find(kShapes.begin(), kShapes.end(), shape) == kShapes.end()) {
      const sdf::ElementPtr owner = element->GetParent();
      throw std::invalid_argument(owner->GetName() + " '" + owner->Get<std::string>("name") +
                                  "' has a <" + shape + ">, a shape that Gazebo 11 does not have");
    } else if (shape == "heightmap") {
      CheckPicture(child);
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
  if (xml != read_) {
    read_.clear();
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
  return {name, is_light, Copy(element)};
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
    CheckShapes(root);
    HideSensors(root);
    CheckModel(document_);
  }
}

}  // namespace gazebo_batch_state
