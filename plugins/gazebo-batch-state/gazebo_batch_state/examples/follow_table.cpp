// SPDX-License-Identifier: Apache-2.0
/// Prints where all models are, as often as asked, from the tables in shared memory:
///
///     rosrun gazebo_batch_state follow_table 10
///
/// It asks for the file once for each generation of entities; after that no message is exchanged.
/// The steps are those that gazebo_batch_state/shared_table.hpp names. Runs on the host of gzserver
/// and as its user.
#include <fcntl.h>
#include <gazebo_batch_state_msgs/GetNames.h>
#include <gazebo_batch_state_msgs/OpenSharedMemory.h>
#include <ros/ros.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "gazebo_batch_state/shared_table.hpp"

namespace {

namespace batch = gazebo_batch_state;
namespace msg = gazebo_batch_state_msgs;

constexpr auto kModels = static_cast<std::size_t>(batch::Table::kModels);
constexpr std::size_t kWidth = batch::kLayout[kModels].width;

/// The rows of all models at one instant.
struct Snapshot {
  double time = 0.0;            // simulated [s]
  std::vector<double> numbers;  // row by row, see table_layout.hpp
};

/// A mapped file; it is valid as long as models and all else in the world are the same.
class TableFile {
 public:
  explicit TableFile(const msg::OpenSharedMemory::Response& announced)
      : size_(announced.size), file_(open(announced.path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (file_ < 0 || announced.version != batch::kSharedVersion || flock(file_, LOCK_SH) != 0) {
      throw std::runtime_error("cannot use " + announced.path);
    }
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory_ == MAP_FAILED || Header().magic != batch::kSharedMagic) {
      throw std::runtime_error("there is no table in " + announced.path);
    }
    Header().wanted.fetch_or(1U << kModels);  // or the server does not write it
  }
  ~TableFile() {
    munmap(memory_, size_);
    close(file_);
  }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  std::uint64_t Generation() const { return Header().generation; }
  bool IsObsolete() const { return Header().obsolete != 0; }

  /// Copies the latest instant; false if the server has not written the models yet.
  bool Read(Snapshot& snapshot) const {
    snapshot.numbers.resize(Header().rows[kModels] * kWidth);
    for (;;) {
      const std::uint64_t number = Header().latest.load(std::memory_order_acquire);
      const auto& buffer = At<batch::SharedBuffer>(Header().header_size + number * Header().stride);
      const std::uint64_t sequence = buffer.sequence.load(std::memory_order_acquire);
      if (sequence % 2 != 0) {
        continue;  // it is being written
      }
      if ((buffer.filled >> kModels & 1U) == 0) {
        return false;
      }
      const auto* numbers = &At<double>(buffer.offset[kModels]);
      std::copy(numbers, numbers + snapshot.numbers.size(), snapshot.numbers.begin());
      snapshot.time = buffer.seconds + 1e-9 * buffer.nanoseconds;
      std::atomic_thread_fence(std::memory_order_acquire);
      if (buffer.sequence.load(std::memory_order_relaxed) == sequence) {
        return true;
      }
    }
  }

 private:
  template <class Type>
  Type& At(std::uint64_t place) const {
    return *reinterpret_cast<Type*>(static_cast<char*>(memory_) + place);
  }
  batch::SharedHeader& Header() const { return At<batch::SharedHeader>(0); }

  std::size_t size_;
  int file_;
  void* memory_ = MAP_FAILED;
};

template <class Service>
typename Service::Response Call(const char* name, typename Service::Request request = {}) {
  typename Service::Response response;
  ros::service::waitForService(name);
  if (!ros::service::call(name, request, response)) {
    throw std::runtime_error(std::string(name) + " failed");
  }
  return response;
}

void Print(const Snapshot& snapshot, const std::vector<std::string>& names) {
  for (std::size_t row = 0; row < names.size(); ++row) {
    const double* pose = snapshot.numbers.data() + row * kWidth;
    std::printf("%.3f %s %.6f %.6f %.6f\n", snapshot.time, names[row].c_str(), pose[0], pose[1],
                pose[2]);
  }
  std::fflush(stdout);
}

/// Follows one generation of entities.
void Follow(ros::WallRate& rate, int& remaining) {
  const auto announced = Call<msg::OpenSharedMemory>("/gazebo_batch_state/open_shared_memory");
  const TableFile file(announced);
  msg::GetNames::Request wanted;
  wanted.generation = file.Generation();
  const auto names = Call<msg::GetNames>("/gazebo_batch_state/get_names", wanted);
  Snapshot snapshot;
  while (ros::ok() && remaining > 0 && !file.IsObsolete()) {
    if (file.Read(snapshot)) {
      Print(snapshot, names.models);
      --remaining;
    } else {  // the world stands still: to ask again has the server write what is wanted now
      Call<msg::OpenSharedMemory>("/gazebo_batch_state/open_shared_memory");
    }
    rate.sleep();
  }
}

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "follow_table", ros::init_options::AnonymousName);
  const ros::NodeHandle node;  // until it is gone ROS runs
  int remaining = argc > 1 ? std::atoi(argv[1]) : 10;
  ros::WallRate rate(20.0);
  while (ros::ok() && remaining > 0) {
    Follow(rate, remaining);
  }
}
