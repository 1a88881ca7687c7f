// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/DeleteModels.h>
#include <gazebo_batch_state_msgs/GetNames.h>
#include <gazebo_batch_state_msgs/SetLights.h>
#include <gazebo_batch_state_msgs/SpawnModels.h>
#include <gazebo_msgs/DeleteModel.h>
#include <gazebo_msgs/GetModelProperties.h>
#include <gazebo_msgs/SetLightProperties.h>
#include <gazebo_msgs/SpawnModel.h>

#include "deepsim_services/plugin_client.hpp"
#include "deepsim_services/service_group.hpp"

namespace deepsim_services {

/// The services of gazebo_ros that the client of DeepSim 0.1 calls, for servers without gazebo_ros.
/// Those that gazebo_ros offers stay its own.
class ModelServices : public ServiceGroup {
 public:
  ModelServices();

 private:
  void Spawn(gazebo_msgs::SpawnModelRequest& request, gazebo_msgs::SpawnModelResponse& response);
  void Delete(gazebo_msgs::DeleteModelRequest& request, gazebo_msgs::DeleteModelResponse& response);
  void GetProperties(gazebo_msgs::GetModelPropertiesRequest& request,
                     gazebo_msgs::GetModelPropertiesResponse& response);
  void SetLight(gazebo_msgs::SetLightPropertiesRequest& request,
                gazebo_msgs::SetLightPropertiesResponse& response);

  PluginClient<gazebo_batch_state_msgs::SpawnModels> spawn_{"spawn_models"};
  PluginClient<gazebo_batch_state_msgs::DeleteModels> delete_{"delete_models"};
  PluginClient<gazebo_batch_state_msgs::GetNames> get_names_{"get_names"};
  PluginClient<gazebo_batch_state_msgs::SetLights> set_lights_{"set_lights"};
};

}  // namespace deepsim_services
