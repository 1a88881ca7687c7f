// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gazebo_batch_state {

/// The directory in which a client wants a shared file.
///
/// \param directory empty: /dev/shm
/// \throws std::runtime_error unless it is /dev/shm or in the list that the server was started with
std::string CheckedDirectory(const std::string& directory);

}  // namespace gazebo_batch_state
