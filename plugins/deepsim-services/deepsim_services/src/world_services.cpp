// SPDX-License-Identifier: Apache-2.0
#include "deepsim_services/world_services.hpp"

#include <exception>
#include <utility>

namespace deepsim_services {
namespace {

/// Whether it was done; a reason goes to the log, as the answer has no room for one.
bool Try(PluginClient<std_srvs::Trigger>& call) {
  try {
    const auto done = call();
    ROS_ERROR_STREAM_COND(done.success == 0, done.message);
    return done.success != 0;
  } catch (const std::exception& error) {
    ROS_ERROR_STREAM(error.what());
    return false;
  }
}

}  // namespace

WorldServices::WorldServices() {
  Offer("get_light_names", &WorldServices::GetLightNames);
  empty_ = {Node().advertiseService("pause_world_physics", &WorldServices::Pause, this),
            Node().advertiseService("unpause_world_physics", &WorldServices::Unpause, this)};
}

void WorldServices::GetLightNames(deepsim_msgs::GetLightNamesRequest& /*request*/,
                                  deepsim_msgs::GetLightNamesResponse& response) {
  response.light_names = std::move(get_names_().lights);
}

bool WorldServices::Pause(std_srvs::EmptyRequest& /*request*/,
                          std_srvs::EmptyResponse& /*response*/) {
  return Try(pause_);
}

bool WorldServices::Unpause(std_srvs::EmptyRequest& /*request*/,
                            std_srvs::EmptyResponse& /*response*/) {
  return Try(unpause_);
}

}  // namespace deepsim_services
