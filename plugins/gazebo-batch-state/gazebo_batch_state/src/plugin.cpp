// SPDX-License-Identifier: Apache-2.0
#include <ros/init.h>
#include <ros/master.h>

#include <boost/weak_ptr.hpp>
#include <exception>
#include <gazebo/common/Console.hh>
#include <gazebo/common/Events.hh>
#include <gazebo/common/Plugin.hh>
#include <gazebo/physics/PhysicsIface.hh>
#include <gazebo/physics/World.hh>
#include <memory>
#include <string>

#include "gazebo_batch_state/server.hpp"
#include "gazebo_batch_state/signal_thread.hpp"

namespace gazebo_batch_state {

/// The system plugin: `gzserver -s libgazebo_batch_state.so`. Serves the first world.
///
/// Initialises ROS if no other plugin has done so, and needs a master that runs already.
class Plugin : public gazebo::SystemPlugin {
 public:
  ~Plugin() override {
    signals_.reset();
    Close();
  }

  void Load(int argc, char** argv) override {
    if (!ros::isInitialized()) {
      ros::init(argc, argv, "gazebo_batch_state", ros::init_options::NoSigintHandler);
      owns_ros_ = true;
    }
    using gazebo::event::Events;
    created_ = Events::ConnectWorldCreated([this](const std::string& name) { Open(name); });
    stopped_ = Events::ConnectStop([this] { Close(); });
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
      const gazebo::physics::WorldPtr world = gazebo::physics::get_world(name);
      server_ = std::make_unique<Server>(world);
      // Gazebo sets its signal handlers before it runs its worlds.
      const boost::weak_ptr<gazebo::physics::World> ours = world;
      signals_ = std::make_unique<SignalThread>(
          [ours] {
            const auto running = ours.lock();
            return running && running->Running();
          },
          [this] { Close(); });
    } catch (const std::exception& error) {
      gzerr << "gazebo_batch_state cannot serve world '" << name << "': " << error.what() << "\n";
    }
  }

  /// Before Gazebo takes its world apart; not in a signal handler, but for a signal that comes
  /// before the world runs.
  void Close() {
    server_.reset();
    if (owns_ros_ && ros::isStarted()) {
      ros::shutdown();
    }
  }

  bool owns_ros_ = false;
  std::unique_ptr<Server> server_;
  std::unique_ptr<SignalThread> signals_;
  gazebo::event::ConnectionPtr created_;
  gazebo::event::ConnectionPtr stopped_;
};

GZ_REGISTER_SYSTEM_PLUGIN(Plugin)

}  // namespace gazebo_batch_state
