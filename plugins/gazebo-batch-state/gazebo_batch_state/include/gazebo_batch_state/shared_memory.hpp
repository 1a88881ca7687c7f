// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "gazebo_batch_state/batch_world.hpp"
#include "gazebo_batch_state/shared_file.hpp"

namespace gazebo_batch_state {

/// The shared files of a world: made when asked for, written while someone reads them.
///
/// All members are called with a view of the world, and so never two at once.
class SharedMemory {
 public:
  SharedMemory();

  /// The file in a directory, made if it is not there yet; what clients want of it is written.
  ///
  /// \throws std::runtime_error saying why there can be none
  const SharedFile& Open(const BatchWorld::View& world, const std::string& directory);

  /// Writes the present instant to all files; drops those of another generation.
  ///
  /// \param runs whether the world goes on by itself, and the next instant is written after a step
  void Write(const BatchWorld::View& world, bool runs = false);

  /// Removes files that nobody reads; call it once in a while.
  void Sweep(const BatchWorld::View& world);

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::unique_ptr<SharedFile> file;
    std::uint64_t generation;
    Clock::time_point asked;
  };

  static void Write(const BatchWorld::View& world, SharedFile& file,
                    std::chrono::nanoseconds lasting);

  std::uint64_t boot_;
  Clock::time_point stepped_;           // when a world that runs was written last
  std::map<std::string, Entry> files_;  // by directory
};

}  // namespace gazebo_batch_state
