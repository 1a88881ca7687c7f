// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/flat_codec.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace gazebo_batch_state {
namespace {

constexpr double kSmallestNorm = 1e-6;  // below this a quaternion's direction is noise
constexpr double kUnitLength = 1e-12;

Reason CheckQuaternion(double* q) {
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (square < kSmallestNorm * kSmallestNorm) {
    return "its quaternion is zero: without rotation it is 0 0 0 1";
  }
  if (!std::isfinite(square)) {
    return "its quaternion is too large";
  }
  if (std::abs(square - 1.0) > kUnitLength) {
    const double norm = std::sqrt(square);
    std::for_each(q, q + 4, [norm](double& number) { number /= norm; });
  }
  return {};
}

}  // namespace

Reason CheckBlock(std::uint8_t table, std::uint8_t column, std::size_t rows, std::size_t values) {
  std::ostringstream reason;
  if (table >= kTables) {
    reason << "there is no table " << int{table} << ", only 0 to " << kTables - 1;
    return reason.str();
  }
  const Columns& columns = kLayout[table];
  if (column >= columns.count) {
    reason << columns.table << " have no column " << int{column} << ", only 0 to "
           << columns.count - 1;
    return reason.str();
  }
  const Column& chosen = columns.column[column];
  if (values != rows * chosen.width) {
    reason << rows << " cells of " << columns.table << " " << chosen.name << " are "
           << rows * chosen.width << " numbers, got " << values;
  }
  return reason.str();
}

Reason CheckCell(const Column& column, double* cell) {
  const double* end = cell + column.width;
  if (column.rule == Rule::kMeasured) {
    return std::string(column.name) + " is measured: it cannot be written";
  }
  if (column.rule == Rule::kLimit) {
    return *cell >= 0.0 ? Reason() : std::string(column.name) + " must be at least 0";
  }
  if (!std::all_of(cell, cell + column.width,
                   [](double number) { return std::isfinite(number); })) {
    return std::string(column.name) + " must be finite";
  }
  switch (column.rule) {
    case Rule::kPose:
      if (std::any_of(cell, cell + 3, [](double number) { return std::abs(number) > kFarthest; })) {
        return std::string(column.name) + " must lie within 1e100 m of the origin";
      }
      return CheckQuaternion(cell + 3);
    case Rule::kUnit:
      if (std::any_of(static_cast<const double*>(cell), end,
                      [](double number) { return number < 0.0 || number > 1.0; })) {
        return std::string(column.name) + " must lie in 0..1";
      }
      return {};
    case Rule::kFlag:
      if (*cell != 0.0 && *cell != 1.0) {
        return std::string(column.name) + " must be 0 or 1";
      }
      return {};
    case Rule::kGain:
      return *cell >= 0.0 ? Reason() : std::string(column.name) + " must be at least 0";
    case Rule::kNumber:
    case Rule::kLimit:
    case Rule::kMeasured:
      return {};
  }
  return {};
}

}  // namespace gazebo_batch_state
