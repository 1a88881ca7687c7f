// SPDX-License-Identifier: Apache-2.0
#include <gazebo_batch_state_msgs/DeleteModels.h>
#include <gazebo_batch_state_msgs/GetNames.h>
#include <gazebo_batch_state_msgs/SetLights.h>
#include <gazebo_batch_state_msgs/SpawnModels.h>
#include <gazebo_msgs/DeleteModel.h>
#include <gazebo_msgs/GetModelProperties.h>
#include <gazebo_msgs/SetLightProperties.h>
#include <gazebo_msgs/SpawnModel.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "deepsim_services/services.hpp"

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

void OfferModels(Services& services) {
  namespace msg = gazebo_batch_state_msgs;
  const Plugin<msg::SpawnModels> spawn("spawn_models");
  for (const char* name : {"spawn_sdf_model", "spawn_urdf_model"}) {
    services.OfferUnlessTaken<gazebo_msgs::SpawnModel>(
        name, [spawn](auto& request, auto& /*response*/) {
          msg::SpawnModelsRequest wanted;
          wanted.requests.resize(1);
          auto& model = wanted.requests.front();
          model.name = std::move(request.model_name);
          model.xml = std::move(request.model_xml);
          model.pose = request.initial_pose;
          model.reference_frame = std::move(request.reference_frame);
          CheckRow(spawn(std::move(wanted)));
        });
  }
  services.OfferUnlessTaken<gazebo_msgs::DeleteModel>(
      "delete_model",
      [remove = Plugin<msg::DeleteModels>("delete_models")](auto& request, auto& /*response*/) {
        msg::DeleteModelsRequest wanted;
        wanted.names.push_back(std::move(request.model_name));
        CheckRow(remove(std::move(wanted)));
      });
  services.OfferUnlessTaken<gazebo_msgs::GetModelProperties>(
      "get_model_properties",
      [get_names = Plugin<msg::GetNames>("get_names")](auto& request, auto& response) {
        const auto names = get_names();
        const std::string& model = request.model_name;
        if (std::find(names.models.begin(), names.models.end(), model) == names.models.end()) {
          throw std::invalid_argument("there is no model '" + model + "'");
        }
        const std::size_t end = model.rfind(kSeparator);
        response.parent_model_name =
            end == std::string::npos ? std::string() : model.substr(0, end);
        response.body_names = Below(model, names.links);
        response.joint_names = Below(model, names.joints);
        response.child_model_names = Below(model, names.models);
      });
  services.OfferUnlessTaken<gazebo_msgs::SetLightProperties>(
      "set_light_properties",
      [set = Plugin<msg::SetLights>("set_lights")](auto& request, auto& /*response*/) {
        msg::SetLightsRequest wanted;
        wanted.lights.resize(1);
        Light& light = wanted.lights.front();
        light.name = std::move(request.light_name);
        light.diffuse = request.diffuse;
        light.constant = request.attenuation_constant;
        light.linear = request.attenuation_linear;
        light.quadratic = request.attenuation_quadratic;
        // The client fills in these only; gazebo_ros moves the light to where the rest says, the
        // origin.
        wanted.columns.push_back(Light::DIFFUSE | Light::ATTENUATION);
        CheckRow(set(std::move(wanted)));
      });
}

}  // namespace deepsim_services
