// SPDX-License-Identifier: Apache-2.0
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

#include <stdexcept>
#include <utility>

#include "deepsim_services/services.hpp"

namespace deepsim_services {
namespace {

/// Offers the states of models or links: of some, of all, and to be set.
///
/// \param kind `model` or `link`
/// \param names of the request for some
/// \param some, all, set where the states are in the answers and in the request
template <class Get, class GetAll, class Set, class TheirGet, class TheirSet, class Names,
          class Some, class All, class New>
void OfferTable(Services& services, const std::string& kind, Names names, Some some, All all,
                New set) {
  const Plugin<TheirGet> get("get_" + kind + "_states");
  const Plugin<TheirSet> put("set_" + kind + "_states");
  services.Offer<Get>("get_" + kind + "_states", [=](auto& request, auto& response) {
    const std::size_t frames = request.relative_entity_names.size();
    if ((request.*names).size() != frames) {
      throw std::invalid_argument("got " + std::to_string((request.*names).size()) + " names and " +
                                  std::to_string(frames) +
                                  " relative_entity_names: give one for each name");
    }
    if (frames == 0) {
      return;  // the plugin would take it for all
    }
    typename TheirGet::Request asked;
    asked.names = request.*names;
    asked.reference_frames = request.relative_entity_names;
    auto found = get(std::move(asked));
    CopyStatus(found, response);
    response.*some = std::move(found.states);
  });
  services.Offer<GetAll>("get_all_" + kind + "_states", [=](auto& /*request*/, auto& response) {
    response.*all = std::move(get().states);
  });
  services.Offer<Set>("set_" + kind + "_states", [=](auto& request, auto& response) {
    typename TheirSet::Request wanted;
    wanted.states = std::move(request.*set);
    CopyStatus(put(std::move(wanted)), response);
  });
}

}  // namespace

void OfferStates(Services& services) {
  namespace ours = deepsim_msgs;
  namespace theirs = gazebo_batch_state_msgs;
  OfferTable<ours::GetModelStates, ours::GetAllModelStates, ours::SetModelStates,
             theirs::GetModelStates, theirs::SetModelStates>(
      services, "model", &ours::GetModelStatesRequest::model_names,
      &ours::GetModelStatesResponse::model_states, &ours::GetAllModelStatesResponse::model_states,
      &ours::SetModelStatesRequest::model_states);
  OfferTable<ours::GetLinkStates, ours::GetAllLinkStates, ours::SetLinkStates,
             theirs::GetLinkStates, theirs::SetLinkStates>(
      services, "link", &ours::GetLinkStatesRequest::link_names,
      &ours::GetLinkStatesResponse::link_states, &ours::GetAllLinkStatesResponse::link_states,
      &ours::SetLinkStatesRequest::link_states);
}

}  // namespace deepsim_services
