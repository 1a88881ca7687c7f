// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gazebo_batch_state {

/// The tables of a world, by their numbers on the wire.
enum class Table : std::uint8_t { kModels = 0, kLinks = 1, kVisuals = 2, kLights = 3, kJoints = 4 };

constexpr std::size_t kTables = 5;
constexpr std::array<Table, kTables> kAllTables = {Table::kModels, Table::kLinks, Table::kVisuals,
                                                   Table::kLights, Table::kJoints};

/// What the numbers of a cell must be; all must be finite, but for a limit.
enum class Rule : std::uint8_t {
  kPose,     ///< x y z [m], then a quaternion qx qy qz qw that is not zero
  kNumber,   ///< any
  kUnit,     ///< each in 0..1
  kFlag,     ///< 0 or 1
  kGain,     ///< at least 0
  kLimit,    ///< at least 0; infinite: no limit
  kMeasured  ///< not to be written
};

/// One column of a table.
struct Column {
  const char* name;
  std::size_t offset;  ///< of the cell within its row, in numbers
  std::size_t width;   ///< numbers in a cell
  Rule rule;
};

/// How far from the origin anything may lie [m]: beyond all physics, and no square of it overflows.
constexpr double kFarthest = 1e100;

constexpr std::size_t kMostColumns = 10;  ///< of a table

/// The columns of a table, numbered on the wire by their position.
struct Columns {
  const char* table;  ///< the table's name
  std::array<Column, kMostColumns> column;
  std::size_t count;  ///< columns
  std::size_t width;  ///< numbers in a row

  const Column* begin() const { return column.data(); }
  const Column* end() const { return column.data() + count; }
};

/// Poses are in the world frame, right-handed, z up; that of a light in the frame of the link that
/// carries it, if one does. A twist is the velocity of the frame's origin
/// [m/s], then the angular velocity [rad/s], both along the axes of the world. Force [N] and torque
/// [N m] act at the centre of mass [m], along the axes of the world, during the steps to come.
/// Joints are in rad and N m, slides in m and N.
constexpr std::array<Columns, kTables> kLayout = {{
    {"models", {{{"pose", 0, 7, Rule::kPose}, {"twist", 7, 6, Rule::kNumber}}}, 2, 13},
    {"links",
     {{{"pose", 0, 7, Rule::kPose},
       {"twist", 7, 6, Rule::kNumber},
       {"force", 13, 3, Rule::kNumber},
       {"torque", 16, 3, Rule::kNumber},
       {"center_of_mass", 19, 3, Rule::kMeasured}}},
     5,
     22},
    {"visuals",
     {{{"ambient", 0, 4, Rule::kUnit},
       {"diffuse", 4, 4, Rule::kUnit},
       {"specular", 8, 4, Rule::kUnit},
       {"emissive", 12, 4, Rule::kUnit},
       {"transparency", 16, 1, Rule::kUnit},
       {"visible", 17, 1, Rule::kFlag}}},
     6,
     18},
    {"lights",
     {{{"diffuse", 0, 4, Rule::kUnit},
       {"specular", 4, 4, Rule::kUnit},
       {"attenuation", 8, 3, Rule::kNumber},
       {"pose", 11, 7, Rule::kPose},
       {"range", 18, 1, Rule::kLimit}}},
     5,
     19},
    {"joints",
     {{{"position", 0, 1, Rule::kNumber},
       {"velocity", 1, 1, Rule::kNumber},
       {"effort", 2, 1, Rule::kMeasured},
       {"target_position", 3, 1, Rule::kNumber},
       {"target_velocity", 4, 1, Rule::kNumber},
       {"feedforward", 5, 1, Rule::kNumber},
       {"stiffness", 6, 1, Rule::kGain},
       {"damping", 7, 1, Rule::kGain},
       {"effort_limit", 8, 1, Rule::kLimit},
       {"velocity_limit", 9, 1, Rule::kLimit}}},
     10,
     10},
}};

constexpr const Columns& Layout(Table table) { return kLayout[static_cast<std::size_t>(table)]; }

/// Columns by number.
constexpr std::uint8_t kPose = 0;
constexpr std::uint8_t kTwist = 1;
constexpr std::uint8_t kForce = 2;
constexpr std::uint8_t kTorque = 3;
constexpr std::uint8_t kCenterOfMass = 4;
constexpr std::uint8_t kPosition = 0;
constexpr std::uint8_t kVelocity = 1;
constexpr std::uint8_t kEffort = 2;
constexpr std::uint8_t kFirstCommand = 3;  ///< of the columns of joints that are a command

}  // namespace gazebo_batch_state
