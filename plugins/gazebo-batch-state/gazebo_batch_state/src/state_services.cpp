// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/state_services.hpp"

#include <array>
#include <optional>
#include <stdexcept>

#include "gazebo_batch_state/limits.hpp"
#include "gazebo_batch_state/reference_frame.hpp"
#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

const std::string& NameOf(const gazebo_msgs::ModelState& state) { return state.model_name; }
const std::string& NameOf(const gazebo_msgs::LinkState& state) { return state.link_name; }
void SetName(gazebo_msgs::ModelState& state, const std::string& name) { state.model_name = name; }
void SetName(gazebo_msgs::LinkState& state, const std::string& name) { state.link_name = name; }

Row FindRow(const BatchWorld::View& view, Table table, const std::string& name) {
  const auto row = view.Index().Names(table).Find(name);
  if (!row) {
    throw std::invalid_argument(std::string("there is no ") +
                                (table == Table::kModels ? "model" : "link") + " '" + name + "'");
  }
  return *row;
}

/// The reference frame that belongs to one of several names.
const std::string& FrameOf(const std::vector<std::string>& frames, std::size_t number) {
  static const std::string world;
  if (frames.empty()) {
    return world;
  }
  return frames.size() == 1 ? frames.front() : frames[number];
}

/// A row that is to be set, in the world frame.
struct Target {
  Row row;
  std::array<double, 7> pose;
  std::array<double, 6> twist;
};

std::array<double, 6> NumbersOf(const Twist& twist) {
  const auto& [linear, angular] = twist;
  return {linear.X(), linear.Y(), linear.Z(), angular.X(), angular.Y(), angular.Z()};
}

template <class Message>
Target TargetOf(const BatchWorld::View& view, Table table, const Message& message) {
  Target target{FindRow(view, table, NameOf(message)), {}, {}};
  CopyPose(message.pose, target.pose.data());
  // Before the frame comes into it: a quaternion of zeros would turn into something else there.
  const Reason reason = CheckCell(Layout(table).column[kPose], target.pose.data());
  if (!reason.empty()) {
    throw std::invalid_argument(reason);
  }
  const State state = ToWorld(FrameState(view, message.reference_frame),
                              {PoseOf(target.pose.data()), FromRos(message.twist)});
  CopyPose(ToRos(state.pose), target.pose.data());
  target.twist = NumbersOf(state.twist);
  return target;
}

/// Sets both or neither.
Reason Write(BatchWorld::Access& access, Table table, Target& target) {
  auto before = NumbersOf(access.StateOf(table, target.row).twist);
  Reason reason = access.Write(table, kTwist, target.row, target.twist.data());
  if (reason.empty()) {
    reason = access.Write(table, kPose, target.row, target.pose.data());
    if (!reason.empty()) {
      access.Write(table, kTwist, target.row, before.data());
    }
  }
  return reason;
}

}  // namespace

template <class Request, class Response>
void StateServices::Get(Table table, const Request& request, Response& response) {
  CheckNames("names", request.names);
  CheckNames("reference frames", request.reference_frames);
  const BatchWorld::Access access(world_);
  const auto& names = request.names.empty() ? access.Index().Names(table).Names() : request.names;
  const std::size_t frames = request.reference_frames.size();
  const bool fits = frames <= 1 || frames == names.size();
  response.stamp = TimeOf(access.Now());
  response.states.resize(names.size());
  response.success.resize(names.size());
  response.messages.resize(names.size());
  for (std::size_t number = 0; number < names.size(); ++number) {
    auto& state = response.states[number];
    SetName(state, names[number]);
    try {
      if (!fits) {
        throw std::invalid_argument("got " + std::to_string(frames) + " reference frames for " +
                                    std::to_string(names.size()) +
                                    " names: give none, one, or one per name");
      }
      const Row row = FindRow(access, table, names[number]);
      const std::string& frame = FrameOf(request.reference_frames, number);
      const State seen = FromWorld(FrameState(access, frame), access.StateOf(table, row));
      state.pose = ToRos(seen.pose);
      state.twist = ToRos(seen.twist);
      state.reference_frame = frame;
      response.success[number] = 1;
    } catch (const std::invalid_argument& error) {
      response.messages[number] = error.what();
    }
  }
}

template <class Request, class Response>
void StateServices::Set(Table table, const Request& request, Response& response) {
  const std::size_t count = request.states.size();
  CheckCount("states", count, kMostNamed);
  response.success.resize(count);
  response.messages.resize(count);
  std::vector<std::optional<Target>> targets(count);
  BatchWorld::Access access(world_);
  for (std::size_t number = 0; number < count; ++number) {
    try {
      targets[number] = TargetOf(access, table, request.states[number]);
    } catch (const std::invalid_argument& error) {
      response.messages[number] = error.what();
    }
  }
  for (std::size_t number = 0; number < count; ++number) {
    if (!targets[number]) {
      continue;
    }
    response.messages[number] = Write(access, table, *targets[number]);
    response.success[number] = response.messages[number].empty() ? 1 : 0;
  }
  shared_.Write(access);
}

void StateServices::GetModelStates(msg::GetModelStates::Request& request,
                                   msg::GetModelStates::Response& response) {
  Get(Table::kModels, request, response);
}

void StateServices::GetLinkStates(msg::GetLinkStates::Request& request,
                                  msg::GetLinkStates::Response& response) {
  Get(Table::kLinks, request, response);
}

void StateServices::SetModelStates(msg::SetModelStates::Request& request,
                                   msg::SetModelStates::Response& response) {
  Set(Table::kModels, request, response);
}

void StateServices::SetLinkStates(msg::SetLinkStates::Request& request,
                                  msg::SetLinkStates::Response& response) {
  Set(Table::kLinks, request, response);
}

}  // namespace gazebo_batch_state
