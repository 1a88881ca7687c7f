// SPDX-License-Identifier: Apache-2.0
#include <deepsim_msgs/GetLightNames.h>
#include <gazebo_batch_state_msgs/GetNames.h>
#include <std_srvs/Empty.h>
#include <std_srvs/Trigger.h>

#include <utility>

#include "deepsim_services/services.hpp"

namespace deepsim_services {

void OfferWorld(Services& services) {
  services.Offer<deepsim_msgs::GetLightNames>(
      "get_light_names",
      [get = Plugin<gazebo_batch_state_msgs::GetNames>("get_names")](
          auto& /*request*/, auto& response) { response.light_names = std::move(get().lights); });
  for (const std::string name : {"pause", "unpause"}) {
    services.OfferPlain<std_srvs::Empty>(
        name + "_world_physics",
        [call = Plugin<std_srvs::Trigger>(name)](auto& /*request*/, auto& /*response*/) {
          try {  // a reason goes to the log, as the answer has no room for one
            const auto done = call();
            ROS_ERROR_STREAM_COND(done.success == 0, done.message);
            return done.success != 0;
          } catch (const std::exception& error) {
            ROS_ERROR_STREAM(error.what());
            return false;
          }
        });
  }
}

}  // namespace deepsim_services
