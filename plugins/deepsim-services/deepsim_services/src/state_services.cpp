// SPDX-License-Identifier: Apache-2.0
#include "deepsim_services/state_services.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace deepsim_services {
namespace {

/// A request of the plugin, where no names are all rows.
template <class Request>
Request RequestOf(const std::vector<std::string>& names, const std::vector<std::string>& frames) {
  if (names.size() != frames.size()) {
    throw std::invalid_argument("got " + std::to_string(names.size()) + " names and " +
                                std::to_string(frames.size()) +
                                " relative_entity_names: give one for each name");
  }
  Request request;
  request.names = names;
  request.reference_frames = frames;
  return request;
}

}  // namespace

StateServices::StateServices() {
  Offer("get_model_states", &StateServices::GetModels);
  Offer("get_link_states", &StateServices::GetLinks);
  Offer("get_all_model_states", &StateServices::GetAllModels);
  Offer("get_all_link_states", &StateServices::GetAllLinks);
  Offer("set_model_states", &StateServices::SetModels);
  Offer("set_link_states", &StateServices::SetLinks);
}

void StateServices::GetModels(deepsim_msgs::GetModelStatesRequest& request,
                              deepsim_msgs::GetModelStatesResponse& response) {
  using Asked = gazebo_batch_state_msgs::GetModelStatesRequest;
  auto asked = RequestOf<Asked>(request.model_names, request.relative_entity_names);
  if (!asked.names.empty()) {
    auto found = get_models_(std::move(asked));
    CopyStatus(found, response);
    response.model_states = std::move(found.states);
  }
}

void StateServices::GetLinks(deepsim_msgs::GetLinkStatesRequest& request,
                             deepsim_msgs::GetLinkStatesResponse& response) {
  using Asked = gazebo_batch_state_msgs::GetLinkStatesRequest;
  auto asked = RequestOf<Asked>(request.link_names, request.relative_entity_names);
  if (!asked.names.empty()) {
    auto found = get_links_(std::move(asked));
    CopyStatus(found, response);
    response.link_states = std::move(found.states);
  }
}

void StateServices::GetAllModels(deepsim_msgs::GetAllModelStatesRequest& /*request*/,
                                 deepsim_msgs::GetAllModelStatesResponse& response) {
  response.model_states = std::move(get_models_().states);
}

void StateServices::GetAllLinks(deepsim_msgs::GetAllLinkStatesRequest& /*request*/,
                                deepsim_msgs::GetAllLinkStatesResponse& response) {
  response.link_states = std::move(get_links_().states);
}

void StateServices::SetModels(deepsim_msgs::SetModelStatesRequest& request,
                              deepsim_msgs::SetModelStatesResponse& response) {
  gazebo_batch_state_msgs::SetModelStatesRequest wanted;
  wanted.states = std::move(request.model_states);
  CopyStatus(set_models_(std::move(wanted)), response);
}

void StateServices::SetLinks(deepsim_msgs::SetLinkStatesRequest& request,
                             deepsim_msgs::SetLinkStatesResponse& response) {
  gazebo_batch_state_msgs::SetLinkStatesRequest wanted;
  wanted.states = std::move(request.link_states);
  CopyStatus(set_links_(std::move(wanted)), response);
}

}  // namespace deepsim_services
