// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/flat_services.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "gazebo_batch_state/picture_library.hpp"
#include "gazebo_batch_state/ros_values.hpp"
#include "gazebo_batch_state/services.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

constexpr std::size_t kMostUnknown = 1'000;      // cells of rows that may not exist
constexpr std::uint32_t kMostSteps = 1'000'000;  // so that a slip does not stop the server for days

Reason CheckSteps(std::uint32_t steps) {
  return steps <= kMostSteps ? Reason()
                             : "at most " + std::to_string(kMostSteps) + " steps a call, got " +
                                   std::to_string(steps);
}

/// What is malformed in a request, if anything is.
Reason Check(const msg::Exchange::Request& request) {
  for (std::size_t number = 0; number < request.changes.size(); ++number) {
    const msg::Cells& cells = request.changes[number];
    const Reason reason =
        CheckBlock(cells.table, cells.column, cells.rows.size(), cells.values.size());
    if (!reason.empty()) {
      return "changes[" + std::to_string(number) + "]: " + reason;
    }
  }
  if ((request.tables & ~unsigned{kAllTablesMask}) != 0) {
    return "tables is a mask of the bits 1, 2, 4, 8, 16, got " + std::to_string(request.tables);
  }
  return CheckSteps(request.steps);
}

/// Whether there are more cells or sensors than rows, so that a call takes bounded time.
Reason CheckCount(BatchWorld::Access& access, const msg::Exchange::Request& request) {
  const std::size_t sensors = access.Sensors().Sensors().size();
  if (request.sensors.size() > std::max(sensors, kMostUnknown)) {
    return std::to_string(request.sensors.size()) + " sensors to be measured, but there are " +
           std::to_string(sensors) + ": give each one once";
  }
  std::array<std::array<std::size_t, kMostColumns>, kTables> counts{};
  for (const msg::Cells& cells : request.changes) {
    const std::size_t rows = access.Rows(Table{cells.table});
    std::size_t& count = counts[cells.table][cells.column];
    count += cells.rows.size();
    if (count > std::max(rows, kMostUnknown)) {
      const Columns& columns = kLayout[cells.table];
      return std::to_string(count) + " cells of " + columns.table + " " +
             columns.column[cells.column].name + ", but there are " + std::to_string(rows) +
             " rows: give each row once";
    }
  }
  return {};
}

/// Writes a cell of a row of the present or a recent generation.
Reason WriteCell(BatchWorld::Access& access, std::uint64_t generation, Table table,
                 std::uint8_t column, Row row, double* cell) {
  const EntityIndex& index = access.Index();
  if (generation == index.Generation()) {
    return access.Write(table, column, row, cell);
  }
  const NameIndex& names = *index.NamesOf(table, generation);
  if (row >= names.Size()) {
    return "there was no row " + std::to_string(row) + ", only " + std::to_string(names.Size());
  }
  const auto present = index.Names(table).Find(names.Names()[row]);
  return present ? access.Write(table, column, *present, cell) : "it was deleted";
}

bool IsFar(const Vector3d& place) {
  return std::max({std::abs(place.X()), std::abs(place.Y()), std::abs(place.Z())}) > kFarthest;
}

/// Which link has numbers that are none any more or lies beyond all physics, if one does.
Reason Divergence(const BatchWorld::View& view) {
  const auto count = static_cast<Row>(view.Rows(Table::kLinks));
  for (Row row = 0; row < count; ++row) {
    const auto [pose, twist] = view.StateOf(Table::kLinks, row);
    if (!pose.IsFinite() || IsFar(pose.Pos()) || !twist.linear.IsFinite() ||
        !twist.angular.IsFinite()) {
      return "the physics diverged at link '" + view.Index().Names(Table::kLinks).Names()[row] +
             "': reset the world";
    }
  }
  return {};
}

}  // namespace

void FlatServices::Exchange(Request& request, Response& response) {
  BatchWorld::Access access(world_);
  const std::uint32_t steps = Begin(access, request, response);
  if (steps > 0) {
    access.Advance(steps, request.more_steps != 0);
    End(access, request, response);
  }
}

std::uint32_t FlatServices::Begin(BatchWorld::Access& access, Request& request,
                                  Response& response) {
  response.message = Check(request);
  if (response.message.empty()) {
    response.message = CheckCount(access, request);
  }
  if (!response.message.empty()) {
    response.status = Response::INVALID;
    Fill(access, 0, response);
    return 0;
  }
  if (!request.changes.empty() &&
      access.Index().NamesOf(Table::kModels, request.generation) == nullptr) {
    response.status = Response::STALE;
    response.message = "rows are of generation " + std::to_string(request.generation) + ", it is " +
                       std::to_string(access.Index().Generation()) + " now: ask get_names";
    Fill(access, 0, response);
    return 0;
  }
  Apply(access, request, response);
  response.status = Response::OK;
  if (!response.refusals.empty()) {
    response.status = Response::REFUSED;
    response.message = std::to_string(response.refusals.size()) +
                       " rows were refused, first: " + response.refusals.front().reason;
  } else if (request.steps > 0) {
    return request.steps;
  }
  Complete(access, request, response);
  return 0;
}

void FlatServices::End(BatchWorld::Access& access, const Request& request, Response& response) {
  response.message = Divergence(access);
  if (!response.message.empty()) {
    response.status = Response::FAILED;
  }
  Complete(access, request, response);
}

void FlatServices::Complete(BatchWorld::Access& access, const Request& request,
                            Response& response) {
  Fill(access, request.tables, response);
  response.measured = Measure(access, request.sensors);
  shared_.Write(access);
}

void FlatServices::Apply(BatchWorld::Access& access, Request& request, Response& response) {
  for (std::uint8_t table = 0; table < kTables; ++table) {
    for (std::uint8_t column = 0; column < kLayout[table].count; ++column) {
      const std::size_t width = kLayout[table].column[column].width;
      for (std::uint32_t number = 0; number < request.changes.size(); ++number) {
        msg::Cells& cells = request.changes[number];
        if (cells.table != table || cells.column != column) {
          continue;
        }
        for (std::uint32_t index = 0; index < cells.rows.size(); ++index) {
          Reason reason = WriteCell(access, request.generation, Table{table}, column,
                                    cells.rows[index], cells.values.data() + index * width);
          if (!reason.empty()) {
            msg::Refusal refusal;
            refusal.cells = number;
            refusal.index = index;
            refusal.reason = std::move(reason);
            response.refusals.push_back(std::move(refusal));
          }
        }
      }
    }
  }
}

void FlatServices::Fill(const BatchWorld::View& view, std::uint8_t tables, Response& response) {
  const Instant now = view.Now();
  response.generation = view.Index().Generation();
  response.iterations = now.iterations;
  response.time = TimeOf(now);
  response.timestep = now.timestep;
  const std::array<std::vector<double>*, kTables> places = {
      &response.models, &response.links, &response.visuals, &response.lights, &response.joints};
  for (const Table table : kAllTables) {
    if (InMask(tables, table)) {
      std::vector<double>& numbers = *places[static_cast<std::size_t>(table)];
      numbers.resize(view.Rows(table) * Layout(table).width);
      view.Read(table, numbers.data());
    }
  }
}

void FlatServices::GetNames(msg::GetNames::Request& request, msg::GetNames::Response& response) {
  const BatchWorld::Access access(world_);
  const EntityIndex& index = access.Index();
  const bool is_known = index.NamesOf(Table::kModels, request.generation) != nullptr;
  response.generation = is_known ? request.generation : index.Generation();
  const auto names = [&](Table table) {
    return index.NamesOf(table, response.generation)->Names();
  };
  response.models = names(Table::kModels);
  response.links = names(Table::kLinks);
  response.visuals = names(Table::kVisuals);
  response.lights = names(Table::kLights);
  response.joints = names(Table::kJoints);
  response.cameras = index.Cameras();
  response.no_pictures = WhyNoPictures();
}

void FlatServices::OpenSharedMemory(msg::OpenSharedMemory::Request& request,
                                    msg::OpenSharedMemory::Response& response) {
  const BatchWorld::Access access(world_);
  try {
    const SharedFile& file = shared_.Open(access, request.directory);
    response.path = file.Path();
    response.version = kSharedVersion;
    response.size = file.Size();
    response.success = 1;
  } catch (const std::runtime_error& error) {
    response.message = error.what();
  }
}

void FlatServices::Step(msg::Step::Request& request, msg::Step::Response& response) {
  response.message = CheckSteps(request.steps);
  BatchWorld::Access access(world_);
  if (response.message.empty()) {
    access.Advance(request.steps);
    response.message = Divergence(access);
  }
  response.success = response.message.empty() ? 1 : 0;
  const Instant now = access.Now();
  response.iterations = now.iterations;
  response.time = TimeOf(now);
  shared_.Write(access);
}

}  // namespace gazebo_batch_state
