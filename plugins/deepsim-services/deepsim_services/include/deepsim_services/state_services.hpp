// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deepsim_msgs/GetAllLinkStates.h>
#include <deepsim_msgs/GetAllModelStates.h>
#include <deepsim_msgs/GetLinkStates.h>
#include <deepsim_msgs/GetModelStates.h>
#include <deepsim_msgs/SetLinkStates.h>
#include <deepsim_msgs/SetModelStates.h>
#include <gazebo_batch_state_msgs/GetLinkStates.h>
#include <gazebo_batch_state_msgs/GetModelStates.h>
#include <gazebo_batch_state_msgs/SetLinkStates.h>
#include <gazebo_batch_state_msgs/SetModelStates.h>

#include "deepsim_services/plugin_client.hpp"
#include "deepsim_services/service_group.hpp"

namespace deepsim_services {

/// States of models and links.
class StateServices : public ServiceGroup {
 public:
  StateServices();

 private:
  void GetModels(deepsim_msgs::GetModelStatesRequest& request,
                 deepsim_msgs::GetModelStatesResponse& response);
  void GetLinks(deepsim_msgs::GetLinkStatesRequest& request,
                deepsim_msgs::GetLinkStatesResponse& response);
  void GetAllModels(deepsim_msgs::GetAllModelStatesRequest& request,
                    deepsim_msgs::GetAllModelStatesResponse& response);
  void GetAllLinks(deepsim_msgs::GetAllLinkStatesRequest& request,
                   deepsim_msgs::GetAllLinkStatesResponse& response);
  void SetModels(deepsim_msgs::SetModelStatesRequest& request,
                 deepsim_msgs::SetModelStatesResponse& response);
  void SetLinks(deepsim_msgs::SetLinkStatesRequest& request,
                deepsim_msgs::SetLinkStatesResponse& response);

  PluginClient<gazebo_batch_state_msgs::GetModelStates> get_models_{"get_model_states"};
  PluginClient<gazebo_batch_state_msgs::GetLinkStates> get_links_{"get_link_states"};
  PluginClient<gazebo_batch_state_msgs::SetModelStates> set_models_{"set_model_states"};
  PluginClient<gazebo_batch_state_msgs::SetLinkStates> set_links_{"set_link_states"};
};

}  // namespace deepsim_services
