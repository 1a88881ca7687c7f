// SPDX-License-Identifier: Apache-2.0
#include <gazebo_batch_state_msgs/GetContacts.h>
#include <gazebo_batch_state_msgs/GetSensors.h>
#include <gazebo_batch_state_msgs/Watch.h>

#include <algorithm>

#include "gazebo_batch_state/limits.hpp"
#include "gazebo_batch_state/services.hpp"

namespace gazebo_batch_state {
namespace {

namespace msg = gazebo_batch_state_msgs;

void GetContacts(Served& served, msg::GetContacts::Request& /*request*/,
                 msg::GetContacts::Response& response) {
  BatchWorld::Access access(served.world);
  response.generation = access.Index().Generation();
  for (const ContactPoint& point : access.Sensors().Contacts().Now()) {
    for (const auto& link : point.links) {
      response.points.push_back(link ? static_cast<double>(*link) : -1.0);
    }
    for (const Vector3d& vector : {point.position, point.normal}) {
      response.points.insert(response.points.end(), {vector.X(), vector.Y(), vector.Z()});
    }
    const Vector3d& force = point.force;
    response.points.insert(response.points.end(), {point.depth, force.X(), force.Y(), force.Z()});
  }
}

void GetSensors(Served& served, msg::GetSensors::Request& /*request*/,
                msg::GetSensors::Response& response) {
  BatchWorld::Access access(served.world);
  response.generation = access.Index().Generation();
  for (const SensorEntity& sensor : access.Sensors().Sensors()) {
    response.names.push_back(sensor.name);
    response.xml.push_back(sensor.xml);
    response.kinds.push_back(static_cast<std::uint8_t>(sensor.kind));
    response.rows.push_back(static_cast<std::uint32_t>(sensor.scan.rows));
    response.rays.push_back(static_cast<std::uint32_t>(sensor.scan.rays));
  }
}

void Watch(Served& served, msg::Watch::Request& request, msg::Watch::Response& response) {
  CheckNames("sensors", request.sensors);
  BatchWorld::Access access(served.world);
  SensorTable& table = access.Sensors();
  const auto& all = table.Sensors();
  std::vector<std::size_t> rows;
  for (const std::string& name : request.sensors) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&name](const auto& sensor) { return sensor.name == name; });
    if (found == all.end()) {
      response.message = "there is no sensor '" + name + "'";
      return;
    }
    rows.push_back(static_cast<std::size_t>(found - all.begin()));
  }
  for (const std::size_t row : rows) {
    table.Watch(row);
  }
  if (request.contacts != 0) {
    table.Contacts().Watch();
  }
  response.success = 1;
}

}  // namespace

std::vector<double> Measure(BatchWorld::Access& access, const std::vector<std::uint32_t>& sensors) {
  if (sensors.empty()) {
    return {};
  }
  SensorTable& table = access.Sensors();
  const auto& all = table.Sensors();
  std::size_t size = 0;
  for (const std::uint32_t row : sensors) {
    if (row >= all.size()) {
      return {};
    }
    size += all[row].Size();
  }
  std::vector<double> measured(size);
  double* numbers = measured.data();
  const double timestep = access.Now().timestep;
  for (const std::uint32_t row : sensors) {
    table.Read(row, timestep, numbers);
    numbers += all[row].Size();
  }
  return measured;
}

void OfferMeasures(ServiceTable& table, Served& served) {
  table.Offer("get_contacts", served, &GetContacts);
  table.Offer("get_sensors", served, &GetSensors);
  table.Offer("watch", served, &Watch);
}

}  // namespace gazebo_batch_state
