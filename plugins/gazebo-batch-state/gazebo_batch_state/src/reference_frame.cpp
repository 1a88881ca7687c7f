// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/reference_frame.hpp"

#include <stdexcept>

namespace gazebo_batch_state {

State FrameState(const BatchWorld::View& view, const std::string& name) {
  if (name.empty() || name == "world" || name == "map" || name == "/map") {
    return {};
  }
  for (const Table table : {Table::kModels, Table::kLinks}) {
    const auto row = view.Index().Names(table).Find(name);
    if (row) {
      return view.StateOf(table, *row);
    }
  }
  throw std::invalid_argument("there is no reference frame '" + name +
                              "': give a model or link, or '' for the world");
}

}  // namespace gazebo_batch_state
