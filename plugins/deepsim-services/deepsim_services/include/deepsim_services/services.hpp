// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deepsim_msgs/Visual.h>
#include <gazebo_batch_state_msgs/Visual.h>
#include <ros/console.h>
#include <ros/node_handle.h>
#include <ros/service.h>
#include <ros/service_client.h>
#include <ros/service_server.h>

#include <boost/function.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace deepsim_services {

/// A service of gazebo_batch_state, over a connection that is kept and renewed when it is lost.
/// Copies share it.
template <class Service>
class Plugin {
 public:
  using Request = typename Service::Request;
  using Response = typename Service::Response;

  explicit Plugin(const std::string& name) : name_("/gazebo_batch_state/" + name) {}

  /// \throws std::runtime_error if there is no answer
  Response operator()(Request request = {}) const {
    Response response;
    const bool kept = client_->isValid();
    if (!kept) {
      Connect();
    }
    // A connection that was kept may have been lost since.
    if (!client_->call(request, response)) {
      if (kept) {
        Connect();
      }
      if (!kept || !client_->call(request, response)) {
        throw std::runtime_error(name_ + " does not answer: does gzserver run with the plugin?");
      }
    }
    return response;
  }

 private:
  void Connect() const { *client_ = ros::service::createClient<Service>(name_, true); }

  std::string name_;
  std::shared_ptr<ros::ServiceClient> client_ = std::make_shared<ros::ServiceClient>();
};

/// Services below /gazebo.
class Services {
 public:
  template <class Service>
  using Answer = std::function<void(typename Service::Request&, typename Service::Response&)>;

  /// Offers a service. What an answer throws is its status message.
  template <class Service>
  void Offer(const std::string& name, Answer<Service> answer) {
    OfferPlain<Service>(name, [answer = std::move(answer)](auto& request, auto& response) {
      try {
        answer(request, response);
        response.success = 1;
        response.status_message = "done";
      } catch (const std::exception& error) {
        response = {};
        response.status_message = error.what();
      }
      return true;
    });
  }

  /// The same, unless another node offers the service.
  template <class Service>
  void OfferUnlessTaken(const std::string& name, Answer<Service> answer) {
    if (!ros::service::exists(node_.resolveName(name), false)) {
      Offer<Service>(name, std::move(answer));
    }
  }

  /// Offers a service whose answers say nothing but whether they were given.
  template <class Service>
  void OfferPlain(
      const std::string& name,
      boost::function<bool(typename Service::Request&, typename Service::Response&)> answer) {
    servers_.push_back(node_.advertiseService(name, answer));
  }

 private:
  ros::NodeHandle node_{"/gazebo"};
  std::vector<ros::ServiceServer> servers_;
};

/// Copies success and reasons of rows.
template <class Theirs, class Response>
void CopyStatus(const Theirs& theirs, Response& response) {
  response.status.assign(theirs.success.begin(), theirs.success.end());
  response.messages = theirs.messages;
}

/// States of models and links.
void OfferStates(Services& services);

/// How visuals look. A visual is known by its name alone, `model::link::visual`; where the name of
/// its link is given too, that must be the one it belongs to.
void OfferVisuals(Services& services);

/// Names of lights; pauses the world and lets it run.
void OfferWorld(Services& services);

/// The services of gazebo_ros that the client of DeepSim 0.1 calls, for servers without gazebo_ros.
/// Those that gazebo_ros offers stay its own.
void OfferModels(Services& services);

/// The visual of the plugin as a message of DeepSim 0.1.
deepsim_msgs::Visual FromPlugin(const gazebo_batch_state_msgs::Visual& visual);

}  // namespace deepsim_services
