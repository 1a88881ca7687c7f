// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deepsim_msgs/GetAllVisuals.h>
#include <deepsim_msgs/GetVisual.h>
#include <deepsim_msgs/GetVisualNames.h>
#include <deepsim_msgs/GetVisuals.h>
#include <deepsim_msgs/SetVisualMaterial.h>
#include <deepsim_msgs/SetVisualMaterials.h>
#include <deepsim_msgs/SetVisualTransparencies.h>
#include <deepsim_msgs/SetVisualTransparency.h>
#include <deepsim_msgs/SetVisualVisible.h>
#include <deepsim_msgs/SetVisualVisibles.h>
#include <gazebo_batch_state_msgs/GetNames.h>
#include <gazebo_batch_state_msgs/GetVisuals.h>
#include <gazebo_batch_state_msgs/SetVisuals.h>

#include <cstdint>
#include <string>
#include <vector>

#include "deepsim_services/plugin_client.hpp"
#include "deepsim_services/service_group.hpp"

namespace deepsim_services {

/// The visual of the plugin as a message of DeepSim 0.1.
deepsim_msgs::Visual FromPlugin(const gazebo_batch_state_msgs::Visual& visual);

/// How visuals look. A visual is known by its name alone, `model::link::visual`; where the name of
/// its link is given too, that must be the one it belongs to.
class VisualServices : public ServiceGroup {
 public:
  VisualServices();

 private:
  using Visual = gazebo_batch_state_msgs::Visual;

  void GetNames(deepsim_msgs::GetVisualNamesRequest& request,
                deepsim_msgs::GetVisualNamesResponse& response);
  void Get(deepsim_msgs::GetVisualRequest& request, deepsim_msgs::GetVisualResponse& response);
  void GetSome(deepsim_msgs::GetVisualsRequest& request,
               deepsim_msgs::GetVisualsResponse& response);
  void GetAll(deepsim_msgs::GetAllVisualsRequest& request,
              deepsim_msgs::GetAllVisualsResponse& response);
  void SetMaterial(deepsim_msgs::SetVisualMaterialRequest& request,
                   deepsim_msgs::SetVisualMaterialResponse& response);
  void SetMaterials(deepsim_msgs::SetVisualMaterialsRequest& request,
                    deepsim_msgs::SetVisualMaterialsResponse& response);
  void SetTransparency(deepsim_msgs::SetVisualTransparencyRequest& request,
                       deepsim_msgs::SetVisualTransparencyResponse& response);
  void SetTransparencies(deepsim_msgs::SetVisualTransparenciesRequest& request,
                         deepsim_msgs::SetVisualTransparenciesResponse& response);
  void SetVisible(deepsim_msgs::SetVisualVisibleRequest& request,
                  deepsim_msgs::SetVisualVisibleResponse& response);
  void SetVisibles(deepsim_msgs::SetVisualVisiblesRequest& request,
                   deepsim_msgs::SetVisualVisiblesResponse& response);

  /// Sets some columns of one visual.
  void SetOne(const std::string& link, Visual visual, std::uint8_t columns);

  /// Sets some columns of visuals; `links` and `names` say which.
  template <class Response>
  void SetSome(const std::vector<std::string>& links, const std::vector<std::string>& names,
               std::vector<Visual> visuals, std::uint8_t columns, Response& response);

  PluginClient<gazebo_batch_state_msgs::GetNames> get_names_{"get_names"};
  PluginClient<gazebo_batch_state_msgs::GetVisuals> get_{"get_visuals"};
  PluginClient<gazebo_batch_state_msgs::SetVisuals> set_{"set_visuals"};
};

}  // namespace deepsim_services
