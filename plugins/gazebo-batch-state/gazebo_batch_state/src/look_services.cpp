// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/look_services.hpp"

#include <algorithm>
#include <array>
#include <gazebo/msgs/msgs.hh>
#include <gazebo/physics/Link.hh>

#include "gazebo_batch_state/limits.hpp"
#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

constexpr std::size_t kMostNumbers =
    std::max(Layout(Table::kVisuals).width, Layout(Table::kLights).width);

void CopyRow(const msg::Visual& visual, double* row) {
  CopyColor(visual.ambient, row);
  CopyColor(visual.diffuse, row + 4);
  CopyColor(visual.specular, row + 8);
  CopyColor(visual.emissive, row + 12);
  row[16] = visual.transparency;
  row[17] = visual.visible != 0 ? 1.0 : 0.0;
}

void CopyRow(const msg::Light& light, double* row) {
  CopyColor(light.diffuse, row);
  CopyColor(light.specular, row + 4);
  row[8] = light.constant;
  row[9] = light.linear;
  row[10] = light.quadratic;
  CopyPose(light.pose, row + 11);
  row[18] = light.range;
}

Reason Unknown(Table table, const std::string& name) {
  return std::string("there is no ") + (table == Table::kVisuals ? "visual" : "light") + " '" +
         name + "'";
}

/// Sets the chosen columns of a row, all or none.
Reason Write(BatchWorld::Access& access, Table table, Row row, unsigned mask, double* numbers) {
  const Columns& columns = Layout(table);
  if (mask >> columns.count != 0) {
    return "columns is a mask of " + std::to_string(columns.count) + " bits, got " +
           std::to_string(mask);
  }
  for (const Column& column : columns) {
    const auto number = static_cast<std::size_t>(&column - columns.begin());
    if ((mask >> number & 1U) != 0) {
      Reason reason = CheckCell(column, numbers + column.offset);
      if (!reason.empty()) {
        return reason;
      }
    }
  }
  for (std::uint8_t number = 0; number < columns.count; ++number) {
    if ((mask >> number & 1U) != 0) {
      access.Write(table, number, row, numbers + columns.column[number].offset);
    }
  }
  return {};
}

}  // namespace

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

template <class Messages, class Response>
void LookServices::Get(Table table, const std::vector<std::string>& wanted, Messages& messages,
                       Response& response) {
  CheckNames("names", wanted);
  const BatchWorld::Access access(world_);
  const NameIndex& index = access.Index().Names(table);
  const auto& names = wanted.empty() ? index.Names() : wanted;
  response.stamp = TimeOf(access.Now());
  messages.resize(names.size());
  response.success.resize(names.size());
  response.messages.resize(names.size());
  for (std::size_t number = 0; number < names.size(); ++number) {
    messages[number].name = names[number];
    const auto row = index.Find(names[number]);
    if (row) {
      FillLooks(access, *row, messages[number]);
      response.success[number] = 1;
    } else {
      response.messages[number] = Unknown(table, names[number]);
    }
  }
}

template <class Messages, class Response>
void LookServices::Set(Table table, const Messages& messages,
                       const std::vector<std::uint8_t>& columns, Response& response) {
  const std::size_t count = messages.size();
  CheckCount("rows", count, kMostNamed);
  const bool fits = columns.size() <= 1 || columns.size() == count;
  const unsigned all = (1U << Layout(table).count) - 1U;
  response.success.resize(count);
  response.messages.resize(count);
  BatchWorld::Access access(world_);
  for (std::size_t number = 0; number < count; ++number) {
    Reason& reason = response.messages[number];
    const auto row = access.Index().Names(table).Find(messages[number].name);
    if (!fits) {
      reason = "got " + std::to_string(columns.size()) + " columns for " + std::to_string(count) +
               " rows: give none, one, or one per row";
    } else if (!row) {
      reason = Unknown(table, messages[number].name);
    } else {
      std::array<double, kMostNumbers> numbers{};
      CopyRow(messages[number], numbers.data());
      const unsigned mask = columns.empty()       ? all
                            : columns.size() == 1 ? columns.front()
                                                  : columns[number];
      reason = Write(access, table, *row, mask, numbers.data());
    }
    response.success[number] = reason.empty() ? 1 : 0;
  }
  shared_.Write(access);
}

void LookServices::GetVisuals(msg::GetVisuals::Request& request,
                              msg::GetVisuals::Response& response) {
  Get(Table::kVisuals, request.names, response.visuals, response);
}

void LookServices::SetVisuals(msg::SetVisuals::Request& request,
                              msg::SetVisuals::Response& response) {
  Set(Table::kVisuals, request.visuals, request.columns, response);
}

void LookServices::GetLights(msg::GetLights::Request& request, msg::GetLights::Response& response) {
  Get(Table::kLights, request.names, response.lights, response);
}

void LookServices::SetLights(msg::SetLights::Request& request, msg::SetLights::Response& response) {
  Set(Table::kLights, request.lights, request.columns, response);
}

}  // namespace gazebo_batch_state
