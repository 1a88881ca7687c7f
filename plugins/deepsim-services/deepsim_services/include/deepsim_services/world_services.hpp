// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deepsim_msgs/GetLightNames.h>
#include <gazebo_batch_state_msgs/GetNames.h>
#include <std_srvs/Empty.h>
#include <std_srvs/Trigger.h>

#include <vector>

#include "deepsim_services/plugin_client.hpp"
#include "deepsim_services/service_group.hpp"

namespace deepsim_services {

/// Names of lights; pauses the world and lets it run.
class WorldServices : public ServiceGroup {
 public:
  WorldServices();

 private:
  void GetLightNames(deepsim_msgs::GetLightNamesRequest& request,
                     deepsim_msgs::GetLightNamesResponse& response);
  bool Pause(std_srvs::EmptyRequest& request, std_srvs::EmptyResponse& response);
  bool Unpause(std_srvs::EmptyRequest& request, std_srvs::EmptyResponse& response);

  PluginClient<gazebo_batch_state_msgs::GetNames> get_names_{"get_names"};
  PluginClient<std_srvs::Trigger> pause_{"pause"};
  PluginClient<std_srvs::Trigger> unpause_{"unpause"};
  std::vector<ros::ServiceServer> empty_;  // whose answers hold nothing
};

}  // namespace deepsim_services
