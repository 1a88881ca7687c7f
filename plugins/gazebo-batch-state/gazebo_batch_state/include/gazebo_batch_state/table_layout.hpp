// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gazebo_batch_state {

/// The four tables of a world, by their numbers on the wire.
enum class Table : std::uint8_t { kModels = 0, kLinks = 1, kVisuals = 2, kLights = 3 };

constexpr std::size_t kTables = 4;
constexpr std::array<Table, kTables> kAllTables = {Table::kModels, Table::kLinks, Table::kVisuals,
                                                   Table::kLights};

/// What the numbers of a cell must be; all must be finite.
enum class Rule : std::uint8_t {
  kPose,    ///< x y z [m], then a quaternion qx qy qz qw that is not zero
  kNumber,  ///< any
  kUnit,    ///< each in 0..1
  kFlag     ///< 0 or 1
};

/// One column of a table.
struct Column {
  const char* name;
  std::size_t offset;  ///< of the cell within its row, in numbers
  std::size_t width;   ///< numbers in a cell
  Rule rule;
};

/// The columns of a table, numbered on the wire by their position.
struct Columns {
  const char* table;  ///< the table's name
  std::array<Column, 6> column;
  std::size_t count;  ///< columns
  std::size_t width;  ///< numbers in a row

  const Column* begin() const { return column.data(); }
  const Column* end() const { return column.data() + count; }
};

/// Poses are in the world frame, right-handed, z up. A twist is the velocity of the frame's origin
/// [m/s], then the angular velocity [rad/s], both along the axes of the world.
constexpr Columns kStateColumns(const char* table) {
  return {table, {{{"pose", 0, 7, Rule::kPose}, {"twist", 7, 6, Rule::kNumber}}}, 2, 13};
}

constexpr std::array<Columns, kTables> kLayout = {{
    kStateColumns("models"),
    kStateColumns("links"),
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
       {"attenuation", 8, 3, Rule::kNumber}}},
     3,
     11},
}};

constexpr const Columns& Layout(Table table) { return kLayout[static_cast<std::size_t>(table)]; }

/// Columns by number.
constexpr std::uint8_t kPose = 0;
constexpr std::uint8_t kTwist = 1;

}  // namespace gazebo_batch_state
