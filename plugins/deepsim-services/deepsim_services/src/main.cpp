// SPDX-License-Identifier: Apache-2.0
/// Offers the services of DeepSim 0.1's plugin below /gazebo, for clients that were written for it:
/// each is answered by a call of gazebo_batch_state. So are the few services of gazebo_ros that
/// such a client calls, where gazebo_ros does not offer them.
#include <ros/ros.h>

#include "deepsim_services/services.hpp"
#include "deepsim_services/visual_topic.hpp"

int main(int argc, char** argv) {
  ros::init(argc, argv, "deepsim_services");
  deepsim_services::Services services;
  deepsim_services::OfferStates(services);
  deepsim_services::OfferVisuals(services);
  const deepsim_services::VisualTopic topic;
  deepsim_services::OfferWorld(services);
  deepsim_services::OfferModels(services);
  ros::spin();
}
