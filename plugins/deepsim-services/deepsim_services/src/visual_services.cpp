// SPDX-License-Identifier: Apache-2.0
#include <deepsim_msgs/GetAllVisuals.h>
#include <deepsim_msgs/GetVisual.h>
#include <deepsim_msgs/GetVisualNames.h>
#include <deepsim_msgs/GetVisuals.h>
#include <deepsim_msgs/SetVisualMaterial.h>
#include <deepsim_msgs/SetVisualMaterials.h>
#include <deepsim_msgs/SetVisualTransparencies.h>
#include <deepsim_msgs/SetVisualTransparency.h>
#include <deepsim_msgs/SetVisualVisible.h>
#include <deepsim_msgs/SetVisualVisibles.h>
#include <gazebo_batch_state_msgs/GetNames.h>
#include <gazebo_batch_state_msgs/GetVisuals.h>
#include <gazebo_batch_state_msgs/SetVisuals.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "deepsim_services/services.hpp"

namespace deepsim_services {
namespace {

namespace msg = gazebo_batch_state_msgs;
using msg::Visual;

constexpr std::uint8_t kMaterial =
    Visual::AMBIENT | Visual::DIFFUSE | Visual::SPECULAR | Visual::EMISSIVE;

/// The link that a visual belongs to, by its name.
std::string LinkOf(const std::string& visual) {
  const std::size_t end = visual.rfind("::");
  return end == std::string::npos ? std::string() : visual.substr(0, end);
}

/// \throws std::invalid_argument if arrays of a request differ in length
void CheckSize(const char* what, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw std::invalid_argument("got " + std::to_string(expected) + " link_names and " +
                                std::to_string(size) + " " + what + ": give one for each link");
  }
}

std::string WrongLink(const std::string& visual, const std::string& link) {
  return "there is no visual '" + visual + "' of link '" + link + "'";
}

/// The names to ask the plugin for: none where a visual is not of the link that is said.
std::vector<std::string> NamesOf(const std::vector<std::string>& links,
                                 const std::vector<std::string>& visuals) {
  CheckSize("visual_names", visuals.size(), links.size());
  std::vector<std::string> names = visuals;
  for (std::size_t number = 0; number < names.size(); ++number) {
    if (LinkOf(names[number]) != links[number]) {
      names[number].clear();  // no visual has this name
    }
  }
  return names;
}

/// Replaces the reason for a name that was left out.
template <class Response>
void NameWrongLinks(const std::vector<std::string>& links, const std::vector<std::string>& visuals,
                    Response& response) {
  for (std::size_t number = 0; number < links.size(); ++number) {
    if (LinkOf(visuals[number]) != links[number]) {
      response.messages[number] = WrongLink(visuals[number], links[number]);
    }
  }
}

void OfferGetters(Services& services) {
  const Plugin<msg::GetVisuals> get("get_visuals");
  services.Offer<deepsim_msgs::GetVisualNames>(
      "get_visual_names",
      [get_names = Plugin<msg::GetNames>("get_names")](auto& request, auto& response) {
        const auto names = get_names();
        for (const std::string& link : request.link_names) {
          if (std::find(names.links.begin(), names.links.end(), link) == names.links.end()) {
            throw std::invalid_argument("there is no link '" + link + "'");
          }
          for (const std::string& visual : names.visuals) {
            if (LinkOf(visual) == link) {
              response.visual_names.push_back(visual);
              response.link_names.push_back(link);
            }
          }
        }
      });
  services.Offer<deepsim_msgs::GetVisual>("get_visual", [get](auto& request, auto& response) {
    msg::GetVisualsRequest asked;
    asked.names = NamesOf({request.link_name}, {request.visual_name});
    const auto found = get(std::move(asked));
    if (found.success.front() == 0) {
      throw std::invalid_argument(WrongLink(request.visual_name, request.link_name));
    }
    response.visual = FromPlugin(found.visuals.front());
  });
  services.Offer<deepsim_msgs::GetVisuals>("get_visuals", [get](auto& request, auto& response) {
    msg::GetVisualsRequest asked;
    asked.names = NamesOf(request.link_names, request.visual_names);
    if (asked.names.empty()) {
      return;  // the plugin would take it for all
    }
    const auto found = get(std::move(asked));
    CopyStatus(found, response);
    NameWrongLinks(request.link_names, request.visual_names, response);
    for (std::size_t number = 0; number < found.visuals.size(); ++number) {
      deepsim_msgs::Visual visual = FromPlugin(found.visuals[number]);
      visual.link_name = request.link_names[number];
      visual.visual_name = request.visual_names[number];
      response.visuals.push_back(std::move(visual));
    }
  });
  services.Offer<deepsim_msgs::GetAllVisuals>(
      "get_all_visuals", [get](auto& /*request*/, auto& response) {
        const auto found = get();
        std::transform(found.visuals.begin(), found.visuals.end(),
                       std::back_inserter(response.visuals), FromPlugin);
      });
}

/// Offers a setter of one visual and one of some.
///
/// \param fill_one fills the columns of a visual from a request
/// \param fill_some the same from the values with a number, which may be too few
template <class One, class Some, class FillOne, class FillSome>
void OfferSetters(Services& services, const std::string& one, const std::string& some,
                  std::uint8_t columns, FillOne fill_one, FillSome fill_some) {
  const Plugin<msg::SetVisuals> set("set_visuals");
  services.Offer<One>(one, [=](auto& request, auto& /*response*/) {
    if (LinkOf(request.visual_name) != request.link_name) {
      throw std::invalid_argument(WrongLink(request.visual_name, request.link_name));
    }
    msg::SetVisualsRequest wanted;
    wanted.visuals.resize(1);
    wanted.visuals.front().name = request.visual_name;
    fill_one(request, wanted.visuals.front());
    wanted.columns.push_back(columns);
    const auto done = set(std::move(wanted));
    if (done.success.front() == 0) {
      throw std::invalid_argument(done.messages.front());
    }
  });
  services.Offer<Some>(some, [=](auto& request, auto& response) {
    const std::vector<std::string> names = NamesOf(request.link_names, request.visual_names);
    msg::SetVisualsRequest wanted;
    wanted.visuals.resize(names.size());
    fill_some(request, wanted.visuals);
    for (std::size_t number = 0; number < names.size(); ++number) {
      wanted.visuals[number].name = names[number];
    }
    wanted.columns.push_back(columns);
    CopyStatus(set(std::move(wanted)), response);
    NameWrongLinks(request.link_names, request.visual_names, response);
  });
}

/// Takes one value for each visual.
template <class Values, class Field>
void Spread(const char* what, const Values& values, Field field, std::vector<Visual>& visuals) {
  CheckSize(what, values.size(), visuals.size());
  for (std::size_t number = 0; number < visuals.size(); ++number) {
    visuals[number].*field = values[number];
  }
}

}  // namespace

deepsim_msgs::Visual FromPlugin(const Visual& visual) {
  deepsim_msgs::Visual ours;
  ours.link_name = LinkOf(visual.name);
  ours.visual_name = visual.name;
  ours.ambient = visual.ambient;
  ours.diffuse = visual.diffuse;
  ours.specular = visual.specular;
  ours.emissive = visual.emissive;
  ours.transparency = visual.transparency;
  ours.visible = visual.visible;
  ours.geometry_type = visual.geometry_type;
  ours.mesh_geom_filename = visual.mesh;
  ours.mesh_geom_scale = visual.mesh_scale;
  ours.pose = visual.pose;
  return ours;
}

void OfferVisuals(Services& services) {
  using namespace deepsim_msgs;  // NOLINT(google-build-using-namespace): its many setters
  OfferGetters(services);
  OfferSetters<SetVisualMaterial, SetVisualMaterials>(
      services, "set_visual_material", "set_visual_materials", kMaterial,
      [](const auto& request, auto& visual) {
        visual.ambient = request.ambient;
        visual.diffuse = request.diffuse;
        visual.specular = request.specular;
        visual.emissive = request.emissive;
      },
      [](const auto& request, auto& visuals) {
        Spread("ambients", request.ambients, &msg::Visual::ambient, visuals);
        Spread("diffuses", request.diffuses, &msg::Visual::diffuse, visuals);
        Spread("speculars", request.speculars, &msg::Visual::specular, visuals);
        Spread("emissives", request.emissives, &msg::Visual::emissive, visuals);
      });
  OfferSetters<SetVisualTransparency, SetVisualTransparencies>(
      services, "set_visual_transparency", "set_visual_transparencies", msg::Visual::TRANSPARENCY,
      [](const auto& request, auto& visual) { visual.transparency = request.transparency; },
      [](const auto& request, auto& visuals) {
        Spread("transparencies", request.transparencies, &msg::Visual::transparency, visuals);
      });
  OfferSetters<SetVisualVisible, SetVisualVisibles>(
      services, "set_visual_visible", "set_visual_visibles", msg::Visual::VISIBLE,
      [](const auto& request, auto& visual) { visual.visible = request.visible; },
      [](const auto& request, auto& visuals) {
        Spread("visibles", request.visibles, &msg::Visual::visible, visuals);
        for (auto& visual : visuals) {
          visual.visible = visual.visible != 0 ? 1 : 0;
        }
      });
}

}  // namespace deepsim_services
