// SPDX-License-Identifier: Apache-2.0
#include <gazebo_msgs/DeleteModel.h>
#include <gazebo_msgs/GetModelState.h>
#include <gazebo_msgs/SetModelState.h>
#include <gazebo_msgs/SpawnModel.h>
#include <ros/ros.h>
#include <ros/spinner.h>
#include <std_srvs/Empty.h>
#include <std_srvs/Trigger.h>

#include <array>
#include <chrono>
#include <functional>
#include <gazebo/common/Events.hh>
#include <gazebo/common/Plugin.hh>
#include <gazebo/msgs/msgs.hh>
#include <gazebo/physics/Model.hh>
#include <gazebo/physics/PhysicsIface.hh>
#include <gazebo/physics/World.hh>
#include <gazebo/transport/transport.hh>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gazebo_batch_state/ros_values.hpp"

namespace gazebo_batch_state {

/// Does with ROS and Gazebo as the plugin of gazebo_ros 2.9 does: it initialises ROS as `gazebo`
/// unless another plugin has initialised it, offers its services below the name of the node,
/// replaces entities by Gazebo's messages, reads and writes one model per call, found by its name
/// and with a short pause around a write, and shuts the node down at its end.
///
///     ~replace_light      puts the light `lamp` in the place of the light `sun`
///     ~get_model_state    in the world frame
///     ~set_model_state
///     ~spawn_sdf_model    at a pose in the world frame
///     ~delete_model
///     ~unpause_physics
class NeighbourPlugin : public gazebo::SystemPlugin {
 public:
  ~NeighbourPlugin() override {
    if (node_) {
      spinner_->stop();
      node_->shutdown();
    }
  }

  void Load(int argc, char** argv) override {
    if (!ros::isInitialized()) {
      ros::init(argc, argv, "gazebo", ros::init_options::NoSigintHandler);
    }
    created_ = gazebo::event::Events::ConnectWorldCreated(
        [this](const std::string& world) { Offer(world); });
  }

 private:
  void Offer(const std::string& world) {
    world_ = gazebo::physics::get_world(world);
    transport_.reset(new gazebo::transport::Node());
    transport_->Init(world);
    requests_ = transport_->Advertise<gazebo::msgs::Request>("~/request");
    lights_ = transport_->Advertise<gazebo::msgs::Light>("~/factory/light");
    factory_ = transport_->Advertise<gazebo::msgs::Factory>("~/factory");
    node_ = std::make_unique<ros::NodeHandle>("~");
    spinner_ = std::make_unique<ros::AsyncSpinner>(1);
    spinner_->start();
    servers_ = {
        node_->advertiseService("replace_light", &NeighbourPlugin::ReplaceLight, this),
        node_->advertiseService("get_model_state", &NeighbourPlugin::GetModelState, this),
        node_->advertiseService("set_model_state", &NeighbourPlugin::SetModelState, this),
        node_->advertiseService("spawn_sdf_model", &NeighbourPlugin::SpawnModel, this),
        node_->advertiseService("delete_model", &NeighbourPlugin::DeleteModel, this),
        node_->advertiseService("unpause_physics", &NeighbourPlugin::Unpause, this),
    };
  }

  void Delete(const std::string& name) {
    const std::unique_ptr<gazebo::msgs::Request> request(
        gazebo::msgs::CreateRequest("entity_delete", name));
    requests_->Publish(*request, true);
  }

  bool ReplaceLight(std_srvs::Trigger::Request& /*request*/,
                    std_srvs::Trigger::Response& response) {
    Delete("sun");
    response.success = Wait([this] { return world_->LightByName("sun") == nullptr; }) ? 1 : 0;
    gazebo::msgs::Light light;
    light.set_name("lamp");
    light.set_type(gazebo::msgs::Light::POINT);
    lights_->Publish(light, true);
    const bool made = Wait([this] { return world_->LightByName("lamp") != nullptr; });
    response.success = response.success != 0 && made ? 1 : 0;
    return true;
  }

  bool GetModelState(gazebo_msgs::GetModelState::Request& request,
                     gazebo_msgs::GetModelState::Response& response) {
    const auto model = world_->ModelByName(request.model_name);
    if (model) {
      response.pose = ToRos(model->WorldPose());
      response.twist = ToRos({model->WorldLinearVel(), model->WorldAngularVel()});
    }
    response.success = model ? 1 : 0;
    return true;
  }

  bool SetModelState(gazebo_msgs::SetModelState::Request& request,
                     gazebo_msgs::SetModelState::Response& response) {
    const gazebo_msgs::ModelState& wanted = request.model_state;
    const auto model = world_->ModelByName(wanted.model_name);
    if (model) {
      std::array<double, 7> numbers{};
      CopyPose(wanted.pose, numbers.data());
      const Twist twist = FromRos(wanted.twist);
      const bool paused = world_->IsPaused();
      world_->SetPaused(true);
      model->SetWorldPose(PoseOf(numbers.data()));
      world_->SetPaused(paused);
      model->SetLinearVel(twist.linear);
      model->SetAngularVel(twist.angular);
    }
    response.success = model ? 1 : 0;
    return true;
  }

  bool SpawnModel(gazebo_msgs::SpawnModel::Request& request,
                  gazebo_msgs::SpawnModel::Response& response) {
    std::array<double, 7> numbers{};
    CopyPose(request.initial_pose, numbers.data());
    sdf::SDF document;
    document.SetFromString(request.model_xml);
    document.Root()->GetElement("model")->GetAttribute("name")->Set(request.model_name);
    gazebo::msgs::Factory message;
    message.set_sdf(document.ToString());
    gazebo::msgs::Set(message.mutable_pose(), PoseOf(numbers.data()));
    factory_->Publish(message, true);
    const std::string& name = request.model_name;
    response.success = Wait([&] { return world_->ModelByName(name) != nullptr; }) ? 1 : 0;
    return true;
  }

  bool DeleteModel(gazebo_msgs::DeleteModel::Request& request,
                   gazebo_msgs::DeleteModel::Response& response) {
    const std::string& name = request.model_name;
    Delete(name);
    response.success = Wait([&] { return world_->ModelByName(name) == nullptr; }) ? 1 : 0;
    return true;
  }

  bool Unpause(std_srvs::Empty::Request& /*request*/, std_srvs::Empty::Response& /*response*/) {
    world_->SetPaused(false);
    return true;
  }

  static bool Wait(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  gazebo::physics::WorldPtr world_;
  gazebo::transport::NodePtr transport_;
  gazebo::transport::PublisherPtr requests_;
  gazebo::transport::PublisherPtr lights_;
  gazebo::transport::PublisherPtr factory_;
  std::unique_ptr<ros::NodeHandle> node_;
  std::unique_ptr<ros::AsyncSpinner> spinner_;
  std::vector<ros::ServiceServer> servers_;
  gazebo::event::ConnectionPtr created_;
};

GZ_REGISTER_SYSTEM_PLUGIN(NeighbourPlugin)

}  // namespace gazebo_batch_state
