// SPDX-License-Identifier: Apache-2.0
#include "deepsim_services/model_services.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace deepsim_services {
namespace {

using gazebo_batch_state_msgs::Light;

const std::string kSeparator = "::";

/// The own names of what lies directly below a model.
std::vector<std::string> Below(const std::string& model, const std::vector<std::string>& names) {
  const std::string prefix = model + kSeparator;
  std::vector<std::string> own;
  for (const std::string& name : names) {
    if (name.compare(0, prefix.size(), prefix) == 0 &&
        name.find(kSeparator, prefix.size()) == std::string::npos) {
      own.push_back(name.substr(prefix.size()));
    }
  }
  return own;
}

/// \throws std::invalid_argument with its reason, if the only row of an answer failed
template <class Answer>
void CheckRow(const Answer& answer) {
  if (answer.success.front() == 0) {
    throw std::invalid_argument(answer.messages.front());
  }
}

}  // namespace

ModelServices::ModelServices() {
  OfferUnlessTaken("spawn_sdf_model", &ModelServices::Spawn);
  OfferUnlessTaken("spawn_urdf_model", &ModelServices::Spawn);
  OfferUnlessTaken("delete_model", &ModelServices::Delete);
  OfferUnlessTaken("get_model_properties", &ModelServices::GetProperties);
  OfferUnlessTaken("set_light_properties", &ModelServices::SetLight);
}

void ModelServices::Spawn(gazebo_msgs::SpawnModelRequest& request,
                          gazebo_msgs::SpawnModelResponse& /*response*/) {
  gazebo_batch_state_msgs::SpawnModelsRequest wanted;
  wanted.requests.resize(1);
  auto& model = wanted.requests.front();
  model.name = std::move(request.model_name);
  model.xml = std::move(request.model_xml);
  model.pose = request.initial_pose;
  model.reference_frame = std::move(request.reference_frame);
  CheckRow(spawn_(std::move(wanted)));
}

void ModelServices::Delete(gazebo_msgs::DeleteModelRequest& request,
                           gazebo_msgs::DeleteModelResponse& /*response*/) {
  gazebo_batch_state_msgs::DeleteModelsRequest wanted;
  wanted.names.push_back(std::move(request.model_name));
  CheckRow(delete_(std::move(wanted)));
}

void ModelServices::GetProperties(gazebo_msgs::GetModelPropertiesRequest& request,
                                  gazebo_msgs::GetModelPropertiesResponse& response) {
  const auto names = get_names_();
  const std::string& model = request.model_name;
  if (std::find(names.models.begin(), names.models.end(), model) == names.models.end()) {
    throw std::invalid_argument("there is no model '" + model + "'");
  }
  const std::size_t end = model.rfind(kSeparator);
  response.parent_model_name = end == std::string::npos ? std::string() : model.substr(0, end);
  response.body_names = Below(model, names.links);
  response.joint_names = Below(model, names.joints);
  response.child_model_names = Below(model, names.models);
}

void ModelServices::SetLight(gazebo_msgs::SetLightPropertiesRequest& request,
                             gazebo_msgs::SetLightPropertiesResponse& /*response*/) {
  gazebo_batch_state_msgs::SetLightsRequest wanted;
  wanted.lights.resize(1);
  Light& light = wanted.lights.front();
  light.name = std::move(request.light_name);
  light.diffuse = request.diffuse;
  light.constant = request.attenuation_constant;
  light.linear = request.attenuation_linear;
  light.quadratic = request.attenuation_quadratic;
  // The client fills in these only; gazebo_ros moves the light to where the rest says, the origin.
  wanted.columns.push_back(Light::DIFFUSE | Light::ATTENUATION);
  CheckRow(set_lights_(std::move(wanted)));
}

}  // namespace deepsim_services
