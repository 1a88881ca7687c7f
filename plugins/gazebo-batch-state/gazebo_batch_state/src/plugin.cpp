// SPDX-License-Identifier: Apache-2.0
#include <ros/init.h>
#include <ros/master.h>

#include <exception>
#include <gazebo/common/Console.hh>
#include <gazebo/common/Events.hh>
#include <gazebo/common/Plugin.hh>
#include <gazebo/physics/PhysicsIface.hh>
#include <memory>
#include <string>

#include "gazebo_batch_state/server.hpp"

namespace gazebo_batch_state {
namespace {

/// The name that gazebo_ros gives to the node of a server: all plugins share it, and the services
/// of gazebo_ros are below it.
constexpr const char* kNode = "gazebo";

}  // namespace

/// The system plugin: `gzserver -s libgazebo_batch_state.so`. Serves the first world.
///
/// Initialises ROS if no other plugin has done so, and needs a master that runs already. It handles
/// no signal: SIGINT is Gazebo's, and what Gazebo does not handle ends the process at once.
class Plugin : public gazebo::SystemPlugin {
 public:
  /// Gazebo ends plugins after its worlds have stopped, and before it takes them apart.
  ~Plugin() override {
    server_.reset();
    if (owns_ros_ && ros::isStarted()) {
      ros::shutdown();
    }
  }

  void Load(int argc, char** argv) override {
    if (!ros::isInitialized()) {
      ros::init(argc, argv, kNode, ros::init_options::NoSigintHandler);
      owns_ros_ = true;
    }
    using gazebo::event::Events;
    created_ = Events::ConnectWorldCreated([this](const std::string& name) { Open(name); });
    stopped_ = Events::ConnectStop([this] { Interrupt(); });
  }

 private:
  void Open(const std::string& name) {
    if (server_) {
      gzwarn << "gazebo_batch_state serves one world, and that is not '" << name << "'\n";
      return;
    }
    if (!ros::master::check()) {
      gzerr << "gazebo_batch_state: no ROS master at " << ros::master::getURI()
            << ": start roscore first. There will be no services.\n";
      return;
    }
    try {
      server_ = std::make_unique<Server>(gazebo::physics::get_world(name));
    } catch (const std::exception& error) {
      gzerr << "gazebo_batch_state cannot serve world '" << name << "': " << error.what() << "\n";
    }
  }

  /// Gazebo calls it within its handler of SIGINT.
  void Interrupt() {
    if (server_) {
      server_->Interrupt();
    }
  }

  bool owns_ros_ = false;
  std::unique_ptr<Server> server_;
  gazebo::event::ConnectionPtr created_;
  gazebo::event::ConnectionPtr stopped_;
};

GZ_REGISTER_SYSTEM_PLUGIN(Plugin)

}  // namespace gazebo_batch_state
