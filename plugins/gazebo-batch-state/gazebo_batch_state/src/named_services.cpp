// SPDX-License-Identifier: Apache-2.0
#include <gazebo_batch_state_msgs/GetBounds.h>
#include <gazebo_batch_state_msgs/GetLights.h>
#include <gazebo_batch_state_msgs/GetLinkStates.h>
#include <gazebo_batch_state_msgs/GetModelStates.h>
#include <gazebo_batch_state_msgs/GetVisuals.h>
#include <gazebo_batch_state_msgs/SetLights.h>
#include <gazebo_batch_state_msgs/SetLinkStates.h>
#include <gazebo_batch_state_msgs/SetModelStates.h>
#include <gazebo_batch_state_msgs/SetVisuals.h>

#include <array>
#include <gazebo/msgs/msgs.hh>
#include <gazebo/physics/Link.hh>
#include <gazebo/physics/Model.hh>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "gazebo_batch_state/limits.hpp"
#include "gazebo_batch_state/ros_values.hpp"
#include "gazebo_batch_state/services.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;
using gazebo_msgs::LinkState;
using gazebo_msgs::ModelState;

/// A row that is to be set: the columns of a mask, from numbers laid out as in its table.
struct Target {
  Row row;
  unsigned columns;
  std::array<double, Layout(Table::kLinks).width> numbers;
};

template <class Message>
constexpr bool kIsState = std::is_same_v<Message, ModelState> || std::is_same_v<Message, LinkState>;

template <class Message>
constexpr Table kTableOf = std::is_same_v<Message, ModelState>    ? Table::kModels
                           : std::is_same_v<Message, LinkState>   ? Table::kLinks
                           : std::is_same_v<Message, msg::Visual> ? Table::kVisuals
                                                                  : Table::kLights;

template <class Message>
auto& NameOf(Message& message) {
  if constexpr (std::is_same_v<std::remove_const_t<Message>, ModelState>) {
    return message.model_name;
  } else if constexpr (std::is_same_v<std::remove_const_t<Message>, LinkState>) {
    return message.link_name;
  } else {
    return message.name;
  }
}

Row FindRow(const BatchWorld::View& view, Table table, const std::string& name) {
  const auto row = view.Index().Names(table).Find(name);
  if (!row) {
    const std::string plural = Layout(table).table;
    throw std::invalid_argument("there is no " + plural.substr(0, plural.size() - 1) + " '" + name +
                                "'");
  }
  return *row;
}

/// What belongs to one of several names: nothing is given, one for all, or one per name.
template <class Value>
Value Chosen(const char* what, const std::vector<Value>& given, std::size_t number,
             std::size_t count, Value otherwise) {
  if (given.size() > 1 && given.size() != count) {
    throw std::invalid_argument("got " + std::to_string(given.size()) + " " + what + " for " +
                                std::to_string(count) + " names: give none, one, or one per name");
  }
  return given.empty() ? otherwise : given[given.size() == 1 ? 0 : number];
}

/// Answers row by row: what a call returns or throws is why its row failed.
template <class Response, class Answer>
void AnswerRows(std::size_t count, Response& response, Answer answer) {
  response.success.resize(count);
  response.messages.resize(count);
  for (std::size_t number = 0; number < count; ++number) {
    Reason& reason = response.messages[number];
    try {
      reason = answer(number);
    } catch (const std::invalid_argument& error) {
      reason = error.what();
    }
    response.success[number] = reason.empty() ? 1 : 0;
  }
}

void FillTwist(const Twist& twist, double* cell) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cell[axis] = twist.linear[axis];
    cell[3 + axis] = twist.angular[axis];
  }
}

void CopyLooks(const msg::Visual& visual, double* row) {
  CopyColor(visual.ambient, row);
  CopyColor(visual.diffuse, row + 4);
  CopyColor(visual.specular, row + 8);
  CopyColor(visual.emissive, row + 12);
  row[16] = visual.transparency;
  row[17] = visual.visible != 0 ? 1.0 : 0.0;
}

void CopyLooks(const msg::Light& light, double* row) {
  CopyColor(light.diffuse, row);
  CopyColor(light.specular, row + 4);
  row[8] = light.constant;
  row[9] = light.linear;
  row[10] = light.quadratic;
  CopyPose(light.pose, row + 11);
  row[18] = light.range;
}

template <class Message>
Target TargetOf(const BatchWorld::View& view, const Message& message, unsigned columns) {
  Target target{FindRow(view, kTableOf<Message>, NameOf(message)), columns, {}};
  double* numbers = target.numbers.data();
  if constexpr (kIsState<Message>) {
    CopyPose(message.pose, numbers);
    // Before the frame comes into it: a quaternion of zeros would turn into something else there.
    const Reason reason = CheckCell(Layout(kTableOf<Message>).column[kPose], numbers);
    if (!reason.empty()) {
      throw std::invalid_argument(reason);
    }
    const State state = ToWorld(FrameState(view, message.reference_frame),
                                {PoseOf(numbers), FromRos(message.twist)});
    WritePose(state.pose, numbers);
    FillTwist(state.twist, numbers + Layout(Table::kModels).column[kTwist].offset);
  } else {
    CopyLooks(message, numbers);
  }
  return target;
}

/// Sets the chosen columns of a row, all or none.
Reason Write(BatchWorld::Access& access, Table table, Target& target) {
  const Columns& columns = Layout(table);
  const auto is_chosen = [&target](std::size_t number) {
    return (target.columns >> number & 1U) != 0;
  };
  if (target.columns >> columns.count != 0) {
    return "columns is a mask of " + std::to_string(columns.count) + " bits, got " +
           std::to_string(target.columns);
  }
  for (std::size_t number = 0; number < columns.count; ++number) {
    const Column& column = columns.column[number];
    Reason reason =
        is_chosen(number) ? CheckCell(column, target.numbers.data() + column.offset) : Reason();
    if (!reason.empty()) {
      return reason;
    }
  }
  std::array<double, 6> twist{};  // as it was, for a pose that is refused
  if (table == Table::kModels || table == Table::kLinks) {
    FillTwist(access.StateOf(table, target.row).twist, twist.data());
  }
  for (std::uint8_t number = columns.count; number-- > 0;) {
    double* cell = target.numbers.data() + columns.column[number].offset;
    Reason reason = is_chosen(number) ? access.Write(table, number, target.row, cell) : Reason();
    if (!reason.empty()) {
      if (number == kPose) {
        access.Write(table, kTwist, target.row, twist.data());
      }
      return reason;
    }
  }
  return {};
}

template <class Message, class Response>
void Get(Served& served, const std::vector<std::string>& wanted,
         const std::vector<std::string>& frames, std::vector<Message>& messages,
         Response& response) {
  CheckNames("names", wanted);
  CheckNames("reference frames", frames);
  const BatchWorld::Access access(served.world);
  const auto& names = wanted.empty() ? access.Index().Names(kTableOf<Message>).Names() : wanted;
  response.stamp = TimeOf(access.Now());
  messages.resize(names.size());
  AnswerRows(names.size(), response, [&](std::size_t number) {
    Message& message = messages[number];
    NameOf(message) = names[number];
    const std::string frame =
        Chosen<std::string>("reference frames", frames, number, names.size(), {});
    const Row row = FindRow(access, kTableOf<Message>, names[number]);
    if constexpr (kIsState<Message>) {
      const State seen =
          FromWorld(FrameState(access, frame), access.StateOf(kTableOf<Message>, row));
      message.pose = ToRos(seen.pose);
      message.twist = ToRos(seen.twist);
      message.reference_frame = frame;
    } else {
      FillLooks(access, row, message);
    }
    return Reason();
  });
}

template <class Message, class Response>
void Set(Served& served, const std::vector<Message>& messages,
         const std::vector<std::uint8_t>& columns, std::uint8_t all, Response& response) {
  const std::size_t count = messages.size();
  CheckCount("rows", count, kMostNamed);
  std::vector<std::optional<Target>> targets(count);
  BatchWorld::Access access(served.world);
  AnswerRows(count, response, [&](std::size_t number) {  // all before any row moves
    targets[number] =
        TargetOf(access, messages[number], Chosen("columns", columns, number, count, all));
    return Reason();
  });
  const std::vector<Reason> reasons = std::move(response.messages);
  AnswerRows(count, response, [&](std::size_t number) {
    return targets[number] ? Write(access, kTableOf<Message>, *targets[number]) : reasons[number];
  });
  served.shared.Write(access);
}

template <Table kTable>
constexpr std::uint8_t kAll = (1U << Layout(kTable).count) - 1U;

template <class Service>
void GetStates(Served& served, typename Service::Request& request,
               typename Service::Response& response) {
  Get(served, request.names, request.reference_frames, response.states, response);
}

template <class Service>
void SetStates(Served& served, typename Service::Request& request,
               typename Service::Response& response) {
  Set(served, request.states, {}, 1U << kPose | 1U << kTwist, response);
}

void GetVisuals(Served& served, msg::GetVisuals::Request& request,
                msg::GetVisuals::Response& response) {
  Get(served, request.names, {}, response.visuals, response);
}

void GetLights(Served& served, msg::GetLights::Request& request,
               msg::GetLights::Response& response) {
  Get(served, request.names, {}, response.lights, response);
}

void SetVisuals(Served& served, msg::SetVisuals::Request& request,
                msg::SetVisuals::Response& response) {
  Set(served, request.visuals, request.columns, kAll<Table::kVisuals>, response);
}

void SetLights(Served& served, msg::SetLights::Request& request,
               msg::SetLights::Response& response) {
  Set(served, request.lights, request.columns, kAll<Table::kLights>, response);
}

void GetBounds(Served& served, msg::GetBounds::Request& request,
               msg::GetBounds::Response& response) {
  CheckNames("names", request.names);
  const BatchWorld::Access access(served.world);
  const EntityIndex& index = access.Index();
  const auto& names = request.names.empty() ? index.Names(Table::kModels).Names() : request.names;
  response.stamp = TimeOf(access.Now());
  response.bounds.resize(6 * names.size());
  AnswerRows(names.size(), response, [&](std::size_t number) {
    const std::string& name = names[number];
    const auto model = index.Names(Table::kModels).Find(name);
    const auto link = index.Names(Table::kLinks).Find(name);
    if (!model && !link) {
      return "there is no model or link '" + name + "'";
    }
    const auto box = model ? index.Models()[*model].model->CollisionBoundingBox()
                           : index.Links()[*link].link->CollisionBoundingBox();
    if (box.Min().X() > box.Max().X()) {
      return "nothing of '" + name + "' collides";
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      response.bounds[6 * number + axis] = box.Min()[axis];
      response.bounds[6 * number + 3 + axis] = box.Max()[axis];
    }
    return Reason();
  });
}

}  // namespace

State FrameState(const BatchWorld::View& view, const std::string& name) {
  if (name.empty() || name == "world" || name == "map" || name == "/map") {
    return {};
  }
  for (const Table table : {Table::kModels, Table::kLinks}) {
    const auto row = view.Index().Names(table).Find(name);
    if (row) {
      return view.StateOf(table, *row);
    }
  }
  throw std::invalid_argument("there is no reference frame '" + name +
                              "': give a model or link, or '' for the world");
}

void FillLooks(const BatchWorld::View& view, Row row, msg::Visual& visual) {
  const double* numbers = view.Looks(Table::kVisuals).Cells(row);
  visual.ambient = ColorOf(numbers);
  visual.diffuse = ColorOf(numbers + 4);
  visual.specular = ColorOf(numbers + 8);
  visual.emissive = ColorOf(numbers + 12);
  visual.transparency = numbers[16];
  visual.visible = numbers[17] != 0.0 ? 1 : 0;
  const VisualEntity& entity = view.Index().Visuals()[row];
  const gazebo::msgs::Visual& described = entity.link->Visuals().at(entity.id);
  const gazebo::msgs::MeshGeom& mesh = described.geometry().mesh();
  visual.geometry_type = static_cast<std::uint16_t>(described.geometry().type());
  visual.mesh = mesh.filename();
  visual.mesh_scale.x = mesh.has_scale() ? mesh.scale().x() : 1.0;
  visual.mesh_scale.y = mesh.has_scale() ? mesh.scale().y() : 1.0;
  visual.mesh_scale.z = mesh.has_scale() ? mesh.scale().z() : 1.0;
  visual.pose = ToRos(gazebo::msgs::ConvertIgn(described.pose()));
}

void FillLooks(const BatchWorld::View& view, Row row, msg::Light& light) {
  const double* numbers = view.Looks(Table::kLights).Cells(row);
  light.diffuse = ColorOf(numbers);
  light.specular = ColorOf(numbers + 4);
  light.constant = numbers[8];
  light.linear = numbers[9];
  light.quadratic = numbers[10];
  light.pose = ToRos(PoseOf(numbers + 11));
  light.range = numbers[18];
}

void OfferNamed(ServiceTable& table, Served& served) {
  table.Offer("get_model_states", served, &GetStates<msg::GetModelStates>);
  table.Offer("get_link_states", served, &GetStates<msg::GetLinkStates>);
  table.Offer("set_model_states", served, &SetStates<msg::SetModelStates>);
  table.Offer("set_link_states", served, &SetStates<msg::SetLinkStates>);
  table.Offer("get_visuals", served, &GetVisuals);
  table.Offer("set_visuals", served, &SetVisuals);
  table.Offer("get_lights", served, &GetLights);
  table.Offer("set_lights", served, &SetLights);
  table.Offer("get_bounds", served, &GetBounds);
}

}  // namespace gazebo_batch_state
