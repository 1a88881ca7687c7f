// SPDX-License-Identifier: Apache-2.0
#include "deepsim_services/visual_services.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace deepsim_services {
namespace {

using gazebo_batch_state_msgs::Visual;

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

VisualServices::VisualServices() {
  Offer("get_visual_names", &VisualServices::GetNames);
  Offer("get_visual", &VisualServices::Get);
  Offer("get_visuals", &VisualServices::GetSome);
  Offer("get_all_visuals", &VisualServices::GetAll);
  Offer("set_visual_material", &VisualServices::SetMaterial);
  Offer("set_visual_materials", &VisualServices::SetMaterials);
  Offer("set_visual_transparency", &VisualServices::SetTransparency);
  Offer("set_visual_transparencies", &VisualServices::SetTransparencies);
  Offer("set_visual_visible", &VisualServices::SetVisible);
  Offer("set_visual_visibles", &VisualServices::SetVisibles);
}

void VisualServices::GetNames(deepsim_msgs::GetVisualNamesRequest& request,
                              deepsim_msgs::GetVisualNamesResponse& response) {
  const auto names = get_names_();
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
}

void VisualServices::Get(deepsim_msgs::GetVisualRequest& request,
                         deepsim_msgs::GetVisualResponse& response) {
  gazebo_batch_state_msgs::GetVisualsRequest asked;
  asked.names = NamesOf({request.link_name}, {request.visual_name});
  const auto found = get_(std::move(asked));
  if (found.success.front() == 0) {
    throw std::invalid_argument(WrongLink(request.visual_name, request.link_name));
  }
  response.visual = FromPlugin(found.visuals.front());
}

void VisualServices::GetSome(deepsim_msgs::GetVisualsRequest& request,
                             deepsim_msgs::GetVisualsResponse& response) {
  gazebo_batch_state_msgs::GetVisualsRequest asked;
  asked.names = NamesOf(request.link_names, request.visual_names);
  if (asked.names.empty()) {
    return;  // the plugin would take it for all
  }
  const auto found = get_(std::move(asked));
  CopyStatus(found, response);
  NameWrongLinks(request.link_names, request.visual_names, response);
  for (std::size_t number = 0; number < found.visuals.size(); ++number) {
    deepsim_msgs::Visual visual = FromPlugin(found.visuals[number]);
    visual.link_name = request.link_names[number];
    visual.visual_name = request.visual_names[number];
    response.visuals.push_back(std::move(visual));
  }
}

void VisualServices::GetAll(deepsim_msgs::GetAllVisualsRequest& /*request*/,
                            deepsim_msgs::GetAllVisualsResponse& response) {
  const auto found = get_();
  std::transform(found.visuals.begin(), found.visuals.end(), std::back_inserter(response.visuals),
                 FromPlugin);
}

void VisualServices::SetOne(const std::string& link, Visual visual, std::uint8_t columns) {
  if (LinkOf(visual.name) != link) {
    throw std::invalid_argument(WrongLink(visual.name, link));
  }
  gazebo_batch_state_msgs::SetVisualsRequest wanted;
  wanted.visuals.push_back(std::move(visual));
  wanted.columns.push_back(columns);
  const auto done = set_(std::move(wanted));
  if (done.success.front() == 0) {
    throw std::invalid_argument(done.messages.front());
  }
}

template <class Response>
void VisualServices::SetSome(const std::vector<std::string>& links,
                             const std::vector<std::string>& names, std::vector<Visual> visuals,
                             std::uint8_t columns, Response& response) {
  const std::vector<std::string> checked = NamesOf(links, names);
  for (std::size_t number = 0; number < checked.size(); ++number) {
    visuals[number].name = checked[number];
  }
  gazebo_batch_state_msgs::SetVisualsRequest wanted;
  wanted.visuals = std::move(visuals);
  wanted.columns.push_back(columns);
  CopyStatus(set_(std::move(wanted)), response);
  NameWrongLinks(links, names, response);
}

void VisualServices::SetMaterial(deepsim_msgs::SetVisualMaterialRequest& request,
                                 deepsim_msgs::SetVisualMaterialResponse& /*response*/) {
  Visual visual;
  visual.name = request.visual_name;
  visual.ambient = request.ambient;
  visual.diffuse = request.diffuse;
  visual.specular = request.specular;
  visual.emissive = request.emissive;
  SetOne(request.link_name, std::move(visual), kMaterial);
}

void VisualServices::SetMaterials(deepsim_msgs::SetVisualMaterialsRequest& request,
                                  deepsim_msgs::SetVisualMaterialsResponse& response) {
  const std::size_t count = request.link_names.size();
  CheckSize("ambients", request.ambients.size(), count);
  CheckSize("diffuses", request.diffuses.size(), count);
  CheckSize("speculars", request.speculars.size(), count);
  CheckSize("emissives", request.emissives.size(), count);
  std::vector<Visual> visuals(count);
  for (std::size_t number = 0; number < count; ++number) {
    visuals[number].ambient = request.ambients[number];
    visuals[number].diffuse = request.diffuses[number];
    visuals[number].specular = request.speculars[number];
    visuals[number].emissive = request.emissives[number];
  }
  SetSome(request.link_names, request.visual_names, std::move(visuals), kMaterial, response);
}

void VisualServices::SetTransparency(deepsim_msgs::SetVisualTransparencyRequest& request,
                                     deepsim_msgs::SetVisualTransparencyResponse& /*response*/) {
  Visual visual;
  visual.name = request.visual_name;
  visual.transparency = request.transparency;
  SetOne(request.link_name, std::move(visual), Visual::TRANSPARENCY);
}

void VisualServices::SetTransparencies(deepsim_msgs::SetVisualTransparenciesRequest& request,
                                       deepsim_msgs::SetVisualTransparenciesResponse& response) {
  const std::size_t count = request.link_names.size();
  CheckSize("transparencies", request.transparencies.size(), count);
  std::vector<Visual> visuals(count);
  for (std::size_t number = 0; number < count; ++number) {
    visuals[number].transparency = request.transparencies[number];
  }
  SetSome(request.link_names, request.visual_names, std::move(visuals), Visual::TRANSPARENCY,
          response);
}

void VisualServices::SetVisible(deepsim_msgs::SetVisualVisibleRequest& request,
                                deepsim_msgs::SetVisualVisibleResponse& /*response*/) {
  Visual visual;
  visual.name = request.visual_name;
  visual.visible = request.visible;
  SetOne(request.link_name, std::move(visual), Visual::VISIBLE);
}

void VisualServices::SetVisibles(deepsim_msgs::SetVisualVisiblesRequest& request,
                                 deepsim_msgs::SetVisualVisiblesResponse& response) {
  const std::size_t count = request.link_names.size();
  CheckSize("visibles", request.visibles.size(), count);
  std::vector<Visual> visuals(count);
  for (std::size_t number = 0; number < count; ++number) {
    visuals[number].visible = request.visibles[number] != 0 ? 1 : 0;
  }
  SetSome(request.link_names, request.visual_names, std::move(visuals), Visual::VISIBLE, response);
}

}  // namespace deepsim_services
