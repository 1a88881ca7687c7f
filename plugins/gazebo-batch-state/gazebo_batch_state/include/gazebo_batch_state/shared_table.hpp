// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gazebo_batch_state/table_layout.hpp"

/// The layout of the file in which the tables are shared with clients on the same machine.
///
/// SharedHeader, then SharedHeader::buffers buffers, each SharedHeader::stride bytes after the one
/// before: a SharedBuffer, then the rows of the five tables, float64 in the machine's byte order,
/// as in Exchange.srv. A client:
///
/// 1. maps the file and checks magic, version and size; holds flock(LOCK_SH) on it while it reads;
///    sets the bits of the tables that it reads in `wanted`: others are not written;
/// 2. asks for another file when `obsolete` is not 0;
/// 3. takes the buffer `latest`, notes its `sequence`, copies the tables in `filled` that it needs
///    (an exchange writes what is wanted since a moment ago, and so does asking for the file
///    again), and looks at `sequence` again: if that was odd or is another one, it begins anew.
///    With four buffers in turn that happens only when three more instants were written meanwhile;
/// 4. takes it for the present until `expires`. Others may change a world that stands still, which
///    writes nothing by itself: after that time, an exchange writes the present.
namespace gazebo_batch_state {

constexpr std::uint64_t kSharedMagic = 0x3148435441425344;  ///< "DSBATCH1", little-endian
constexpr std::uint32_t kSharedVersion = 5;
constexpr std::uint32_t kSharedBuffers = 4;

/// At the beginning of the file.
struct SharedHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t header_size;  ///< where the first buffer begins [bytes]
  std::uint64_t size;         ///< of the file [bytes]
  std::uint64_t stride;       ///< from one buffer to the next [bytes]
  std::uint32_t buffers;
  std::atomic<std::uint32_t> wanted;        ///< a mask of the tables that clients read
  std::uint64_t boot;                       ///< differs from one start of the server to the next
  std::uint64_t generation;                 ///< of all rows in this file
  std::atomic<std::uint32_t> latest;        ///< the buffer that was completed last
  std::atomic<std::uint32_t> obsolete;      ///< not 0: this file is written no more
  std::array<std::uint32_t, kTables> rows;  ///< of each table
  std::array<std::uint64_t, 5> padding;
};
static_assert(sizeof(SharedHeader) == 128 && offsetof(SharedHeader, latest) == 56);

/// At the beginning of each buffer.
struct SharedBuffer {
  std::atomic<std::uint64_t> sequence;  ///< odd while it is being written
  std::uint64_t generation;
  std::uint64_t iterations;  ///< physics steps since the last reset
  std::uint32_t seconds;     ///< simulated time
  std::uint32_t nanoseconds;
  double timestep;  ///< [s]
  std::array<std::uint64_t, kTables>
      offset;             ///< of each table's rows from the beginning of the file [bytes]
  std::uint64_t filled;   ///< a mask of the tables that are of this instant
  std::uint64_t expires;  ///< how long this is the present, by CLOCK_MONOTONIC [ns]
  std::array<std::uint64_t, 4> padding;
};
static_assert(sizeof(SharedBuffer) == 128 && offsetof(SharedBuffer, offset) == 40);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace gazebo_batch_state
