// SPDX-License-Identifier: Apache-2.0
#include "deepsim_services/visual_topic.hpp"

#include <deepsim_msgs/Visuals.h>

#include "deepsim_services/services.hpp"

namespace deepsim_services {

VisualTopic::VisualTopic() {
  const auto follow = [this](const ros::SingleSubscriberPublisher& /*who*/) {
    FollowSubscribers();
  };
  publisher_ = node_.advertise<deepsim_msgs::Visuals>("/gazebo/visuals", 1, follow, follow);
}

void VisualTopic::FollowSubscribers() {
  if (publisher_.getNumSubscribers() == 0) {
    subscriber_.shutdown();
  } else if (!subscriber_) {
    subscriber_ =
        node_.subscribe("/gazebo_batch_state/visual_states", 1, &VisualTopic::Publish, this);
  }
}

void VisualTopic::Publish(const gazebo_batch_state_msgs::VisualStates& states) {
  deepsim_msgs::Visuals message;
  for (const auto& state : states.visuals) {
    const deepsim_msgs::Visual visual = FromPlugin(state);
    message.link_name.push_back(visual.link_name);
    message.visual_name.push_back(visual.visual_name);
    message.ambient.push_back(visual.ambient);
    message.diffuse.push_back(visual.diffuse);
    message.specular.push_back(visual.specular);
    message.emissive.push_back(visual.emissive);
    message.transparency.push_back(visual.transparency);
    message.visible.push_back(visual.visible);
    message.geometry_type.push_back(visual.geometry_type);
    message.mesh_geom_filename.push_back(visual.mesh_geom_filename);
    message.mesh_geom_scale.push_back(visual.mesh_geom_scale);
    message.pose.push_back(visual.pose);
  }
  publisher_.publish(message);
}

}  // namespace deepsim_services
