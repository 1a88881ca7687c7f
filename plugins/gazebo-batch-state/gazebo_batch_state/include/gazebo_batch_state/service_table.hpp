// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ros/advertise_service_options.h>
#include <ros/callback_queue.h>
#include <ros/console.h>
#include <ros/node_handle.h>
#include <ros/serialization.h>
#include <ros/service_callback_helper.h>
#include <ros/service_server.h>

#include <boost/make_shared.hpp>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gazebo_batch_state/guarded_stream.hpp"
#include "gazebo_batch_state/limits.hpp"
#include "gazebo_batch_state/log_throttle.hpp"
#include "gazebo_batch_state/turn.hpp"

namespace gazebo_batch_state {

/// Answers calls of one service; no exception leaves it and no request is too odd for it.
template <class Request, class Response>
class ServiceAnswer : public ros::ServiceCallbackHelper {
 public:
  ServiceAnswer(std::string name, std::function<void(Request&, Response&)> answer)
      : name_(std::move(name)), answer_(std::move(answer)) {}

  bool call(ros::ServiceCallbackHelperCallParams& params) override {
    std::string failure = "it failed";
    try {
      Request request;
      Response response;
      const auto& bytes = params.request;
      CheckCount("bytes", bytes.num_bytes, kLargestMessage);
      const auto skipped = static_cast<std::size_t>(bytes.message_start - bytes.buf.get());
      GuardedStream stream(bytes.message_start,
                           static_cast<std::uint32_t>(bytes.num_bytes - skipped));
      stream.next(request);
      answer_(request, response);
      CheckCount("bytes of an answer", ros::serialization::serializationLength(response),
                 kLargestMessage);
      params.response = ros::serialization::serializeServiceResponse(true, response);
      return true;
    } catch (const ros::serialization::StreamOverrunException&) {
      failure = "the message ends too soon";
    } catch (const std::exception& error) {
      failure = error.what();
    } catch (...) {  // Gazebo throws what is no std::exception
    }
    const auto left_out = throttle_.Note(LogThrottle::Clock::now());
    if (left_out) {
      ROS_ERROR_STREAM("service " << name_ << " failed: " << failure << " (" << *left_out
                                  << " failures before were not logged)");
    }
    params.response = ros::serialization::serializeServiceResponse(false, failure);
    return true;  // or roscpp would answer without the reason
  }

 private:
  std::string name_;
  LogThrottle throttle_;
  std::function<void(Request&, Response&)> answer_;
};

/// The services of a namespace, answered one after the other by whoever works off the queue.
class ServiceTable {
 public:
  /// \param turn is taken for each call
  ServiceTable(const ros::NodeHandle& node, ros::CallbackQueue& queue, Turn& turn)
      : node_(node), queue_(queue), turn_(turn) {}

  /// Offers a service.
  ///
  /// \param method answers a request by filling the response; whatever it throws fails that call
  template <class Owner, class Request, class Response>
  void Offer(const std::string& name, Owner& owner, void (Owner::*method)(Request&, Response&)) {
    Offer<Request, Response>(name, [&owner, method](Request& request, Response& response) {
      (owner.*method)(request, response);
    });
  }

  /// The same for a function of what it works on.
  template <class Owner, class Request, class Response>
  void Offer(const std::string& name, Owner& owner, void (*function)(Owner&, Request&, Response&)) {
    Offer<Request, Response>(name, [&owner, function](Request& request, Response& response) {
      function(owner, request, response);
    });
  }

 private:
  template <class Request, class Response>
  void Offer(const std::string& name, std::function<void(Request&, Response&)> answer) {
    ros::AdvertiseServiceOptions options;
    options.service = name;
    options.md5sum = ros::service_traits::md5sum<Request>();
    options.datatype = ros::service_traits::datatype<Request>();
    options.req_datatype = ros::message_traits::datatype<Request>();
    options.res_datatype = ros::message_traits::datatype<Response>();
    options.helper = boost::make_shared<ServiceAnswer<Request, Response>>(
        name, [this, answer = std::move(answer)](Request& request, Response& response) {
          const Turn::Hold turn(turn_);
          answer(request, response);
        });
    options.callback_queue = &queue_;
    servers_.push_back(node_.advertiseService(options));
  }

  ros::NodeHandle node_;
  ros::CallbackQueue& queue_;
  Turn& turn_;
  std::vector<ros::ServiceServer> servers_;
};

}  // namespace gazebo_batch_state
