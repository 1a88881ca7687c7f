// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gazebo_batch_state/table_layout.hpp"

namespace gazebo_batch_state {

/// Why something was not accepted; empty: it was.
using Reason = std::string;

/// Whether a block of cells is well-formed: a column that exists, as many whole cells as rows.
///
/// \param table, column numbers as on the wire
/// \param rows, values how many of each there are
Reason CheckBlock(std::uint8_t table, std::uint8_t column, std::size_t rows, std::size_t values);

/// Whether a cell may be written, see Rule.
///
/// \param cell `column.width` numbers; a quaternion is brought to unit length, unless it has it
///   to 1e-12: then it stays as it is, bit for bit
Reason CheckCell(const Column& column, double* cell);

/// The mask with all tables in it, as in Exchange.srv.
constexpr std::uint8_t kAllTablesMask = (1U << kTables) - 1U;

/// Whether a table is in a mask.
constexpr bool InMask(std::uint8_t mask, Table table) {
  return (static_cast<unsigned>(mask) >> static_cast<unsigned>(table) & 1U) != 0;
}

}  // namespace gazebo_batch_state
