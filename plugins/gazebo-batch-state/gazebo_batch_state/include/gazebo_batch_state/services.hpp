// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gazebo_batch_state_msgs/Light.h>
#include <gazebo_batch_state_msgs/Visual.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/service_table.hpp"
#include "gazebo_batch_state/shared_memory.hpp"

namespace gazebo_batch_state {

/// What services without a state of their own work on.
struct Served {
  BatchWorld& world;
  SharedMemory& shared;
};

/// Services whose rows are known by their names: states of models and links in any frame, looks of
/// visuals and lights, boxes around models and links.
void OfferNamed(ServiceTable& table, Served& served);

/// Factors of the physics properties of links, and how joints move them.
void OfferLinks(ServiceTable& table, Served& served);

/// Sensors and contacts; measurements themselves ride with Exchange.
void OfferMeasures(ServiceTable& table, Served& served);

/// What concerns the world as a whole: pause, unpause, reset, set_physics.
void OfferWorld(ServiceTable& table, Served& served);

/// The state of a frame in the world: '', 'world' and 'map' are the world itself.
///
/// \param name else the name of a model or link
/// \throws std::invalid_argument if there is none
State FrameState(const BatchWorld::View& view, const std::string& name);

/// Fills everything but the name of a message from a row of the table of visuals or lights.
void FillLooks(const BatchWorld::View& view, Row row, gazebo_batch_state_msgs::Visual& visual);
void FillLooks(const BatchWorld::View& view, Row row, gazebo_batch_state_msgs::Light& light);

/// Measures with some sensors, one after the other; nothing unless each is a row.
std::vector<double> Measure(BatchWorld::Access& access, const std::vector<std::uint32_t>& sensors);

}  // namespace gazebo_batch_state
