// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/service.h>
#include <ros/service_client.h>

#include <stdexcept>
#include <string>

namespace deepsim_services {

/// A service of gazebo_batch_state, over a connection that is kept and renewed when it is lost.
template <class Service>
class PluginClient {
 public:
  using Request = typename Service::Request;
  using Response = typename Service::Response;

  explicit PluginClient(const std::string& name) : name_("/gazebo_batch_state/" + name) {}

  /// \throws std::runtime_error if there is no answer
  Response operator()(Request request = {}) {
    Response response;
    const bool kept = client_.isValid();
    if (!kept) {
      Connect();
    }
    // A connection that was kept may have been lost since.
    if (!client_.call(request, response)) {
      if (kept) {
        Connect();
      }
      if (!kept || !client_.call(request, response)) {
        throw std::runtime_error(name_ + " does not answer: does gzserver run with the plugin?");
      }
    }
    return response;
  }

 private:
  void Connect() { client_ = ros::service::createClient<Service>(name_, true); }

  std::string name_;
  ros::ServiceClient client_;
};

}  // namespace deepsim_services
