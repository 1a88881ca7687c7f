// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/console.h>
#include <ros/node_handle.h>
#include <ros/service.h>
#include <ros/service_server.h>

#include <boost/function.hpp>
#include <exception>
#include <string>
#include <vector>

namespace deepsim_services {

/// Services below /gazebo. What a method throws is the answer's status message.
class ServiceGroup {
 public:
  ServiceGroup(const ServiceGroup&) = delete;
  ServiceGroup& operator=(const ServiceGroup&) = delete;

 protected:
  ServiceGroup() = default;
  ~ServiceGroup() = default;

  template <class Owner, class Request, class Response>
  void Offer(const char* name, void (Owner::*method)(Request&, Response&)) {
    auto* owner = static_cast<Owner*>(this);
    const boost::function<bool(Request&, Response&)> answer = [owner, method](Request& request,
                                                                              Response& response) {
      try {
        (owner->*method)(request, response);
        response.success = 1;
        response.status_message = "done";
      } catch (const std::exception& error) {
        response = Response();
        response.status_message = error.what();
      }
      return true;
    };
    servers_.push_back(node_.advertiseService(name, answer));
  }

  /// The same, unless another node offers the service.
  template <class Owner, class Request, class Response>
  void OfferUnlessTaken(const char* name, void (Owner::*method)(Request&, Response&)) {
    if (!ros::service::exists(node_.resolveName(name), false)) {
      Offer(name, method);
    }
  }

  /// Copies success and reasons of rows.
  template <class Theirs, class Response>
  static void CopyStatus(const Theirs& theirs, Response& response) {
    response.status.assign(theirs.success.begin(), theirs.success.end());
    response.messages = theirs.messages;
  }

  ros::NodeHandle& Node() { return node_; }

 private:
  ros::NodeHandle node_{"/gazebo"};
  std::vector<ros::ServiceServer> servers_;
};

}  // namespace deepsim_services
