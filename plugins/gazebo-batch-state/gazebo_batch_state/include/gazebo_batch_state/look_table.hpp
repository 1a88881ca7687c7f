// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gazebo_batch_state/table_layout.hpp"

namespace gazebo_batch_state {

/// The rows of visuals or lights, as the server knows them.
///
/// Gazebo's server does not keep how things look: what is described is told to the clients that
/// render, and what changes goes from one client to the others. So this is the truth for us.
/// Rows are known by a key which survives that rows before them come and go.
class LookTable {
 public:
  using Key = std::uint64_t;

  explicit LookTable(Table table) : columns_(Layout(table)) {}

  /// Takes on other rows; those with a key that was there before keep their numbers.
  ///
  /// \param describe called with the number of each row that is new, and where its numbers go
  template <class Describe>
  void Follow(const std::vector<Key>& keys, Describe describe) {
    std::vector<double> numbers(keys.size() * columns_.width);
    std::vector<unsigned> said(keys.size());
    std::unordered_map<Key, std::size_t> rows;
    for (std::size_t row = 0; row < keys.size(); ++row) {
      double* fresh = numbers.data() + row * columns_.width;
      const auto known = rows_.find(keys[row]);
      if (known != rows_.end()) {
        const double* old = Cells(known->second);
        std::copy(old, old + columns_.width, fresh);
        said[row] = said_[known->second];
      } else {
        describe(row, fresh);
      }
      rows.emplace(keys[row], row);
    }
    numbers_.swap(numbers);
    said_.swap(said);
    rows_.swap(rows);
    changed_.clear();
  }

  const double* Cells(std::size_t row) const { return numbers_.data() + row * columns_.width; }
  double* Cells(std::size_t row) { return numbers_.data() + row * columns_.width; }

  /// Sets one cell and remembers that it was set.
  void Set(std::size_t row, std::uint8_t column, const double* cell) {
    const Column& spec = columns_.column[column];
    std::copy(cell, cell + spec.width, Cells(row) + spec.offset);
    changed_[row] |= 1U << column;
    said_[row] |= 1U << column;
  }

  /// Notes that somebody else has told all what is in some columns, as a mask.
  void NoteSaid(std::size_t row, unsigned columns) { said_[row] |= columns; }

  /// The columns that are no longer as described, as a mask.
  unsigned Said(std::size_t row) const { return said_[row]; }

  /// All numbers, row by row.
  const std::vector<double>& Numbers() const { return numbers_; }

  /// Rows with the columns in which they were set since the last call, as a mask.
  using Changes = std::map<std::size_t, unsigned>;
  Changes TakeChanges() { return std::exchange(changed_, {}); }

 private:
  const Columns& columns_;
  std::vector<double> numbers_;
  std::vector<unsigned> said_;
  std::unordered_map<Key, std::size_t> rows_;
  Changes changed_;
};

}  // namespace gazebo_batch_state
