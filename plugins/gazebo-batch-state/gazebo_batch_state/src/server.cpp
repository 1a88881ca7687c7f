// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/server.hpp"

#include <chrono>
#include <gazebo/physics/PhysicsEngine.hh>
#include <gazebo/physics/World.hh>

namespace gazebo_batch_state {
namespace {

constexpr const char* kNamespace = "/gazebo_batch_state";
constexpr auto kSweepPeriod = std::chrono::seconds(1);
const ros::WallDuration kLookAround(0.05);  // how soon it is noticed that the server ends

}  // namespace

Server::Server(const gazebo::physics::WorldPtr& world)
    : node_(kNamespace),
      world_(world),
      pictures_(world_),
      topics_(node_),
      flat_(world_, shared_),
      mailbox_(world_, flat_, turn_),
      entities_(world_, pictures_, shared_),
      served_{world_, shared_},
      services_(node_, queue_, turn_) {
  world_.OnStep([this](const BatchWorld::View& view, StepKind kind) {
    clock_.Publish(view.Now(), kind);
    topics_.Publish(view);
    if (kind == StepKind::kFree) {  // after steps that were asked for, the service writes
      shared_.Write(view, true);
    }
  });
  thread_ = std::thread([this] { Run(); });
}

Server::~Server() {
  Interrupt();
  turn_.Close();
  thread_.join();
  world_.Disconnect();  // before the topics and files that its observer writes to are gone
}

void Server::Interrupt() {  // nothing but atomic flags
  world_.Steps().Stop();
  pictures_.Interrupt();
  ended_ = true;
}

void Server::Offer() {
  services_.Offer("exchange", flat_, &FlatServices::Exchange);
  services_.Offer("step", flat_, &FlatServices::Step);
  services_.Offer("open_shared_memory", flat_, &FlatServices::OpenSharedMemory);
  services_.Offer("open_mailbox", mailbox_, &MailboxService::OpenMailbox);
  services_.Offer("spawn_models", entities_, &EntityServices::SpawnModels);
  services_.Offer("delete_models", entities_, &EntityServices::DeleteModels);
  OfferNamed(services_, served_);
  OfferLinks(services_, served_);
  OfferMeasures(services_, served_);
  OfferWorld(services_, served_);
  services_.Offer("get_image", pictures_, &PictureLibrary::GetImage);
  services_.Offer("get_names", flat_, &FlatServices::GetNames);  // the last: then all are there
}

void Server::Run() {
  while (!world_.HasBegun()) {
    if (ended_) {
      return;
    }
    kLookAround.sleep();
  }
  {
    const BatchWorld::Access access(world_);
    clock_.Start(node_, queue_);
  }
  world_.World()->Physics()->InitForThread();  // this thread finds contacts too
  Offer();
  auto swept = std::chrono::steady_clock::now();
  while (!ended_) {
    queue_.callAvailable(kLookAround);
    const auto now = std::chrono::steady_clock::now();
    if (now - swept > kSweepPeriod && turn_.TryTake()) {
      swept = now;
      mailbox_.Sweep();
      shared_.Sweep(BatchWorld::Access(world_));
      turn_.Give();
    }
  }
}

}  // namespace gazebo_batch_state
