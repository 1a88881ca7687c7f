// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/depth_camera.hpp"

#include <array>
#include <cmath>
#include <gazebo/rendering/Scene.hh>
#include <gazebo/rendering/Visual.hh>
#include <limits>
#include <unordered_map>

namespace gazebo_batch_state {
namespace {

namespace rendering = gazebo::rendering;

constexpr const char* kName = "gazebo_batch_state_depth";
constexpr Ogre::uint16 kOwnPool = 4711;  // of depth buffers: pictures of one size share them
constexpr std::size_t kNumber = 7;       // of the shader's parameter that tells drawn things apart
constexpr std::size_t kChannels = 4;     // of a pixel: the depth, and the number of its link + 1

constexpr const char* kVertexShader = R"(#version 120
uniform mat4 to_screen;
uniform mat4 to_camera;
varying float depth;
void main() {
  gl_Position = to_screen * gl_Vertex;
  depth = -(to_camera * gl_Vertex).z;
}
)";

constexpr const char* kFragmentShader = R"(#version 120
uniform vec4 number;
varying float depth;
void main() { gl_FragColor = vec4(depth, number.x, 0.0, 1.0); }
)";

/// How something is drawn: techniques of the one material, by number.
enum Technique : unsigned short { kFront, kBothSides, kHidden };

void MakeProgram(const std::string& name, Ogre::GpuProgramType type, const char* source) {
  auto& programs = Ogre::HighLevelGpuProgramManager::getSingleton();
  const Ogre::HighLevelGpuProgramPtr program = programs.createProgram(
      name, Ogre::ResourceGroupManager::DEFAULT_RESOURCE_GROUP_NAME, "glsl", type);
  program->setSource(source);
  program->load();
}

/// The material that draws numbers, one for all scenes of the process.
Ogre::MaterialPtr NumberMaterial() {
  auto& materials = Ogre::MaterialManager::getSingleton();
  Ogre::MaterialPtr material = materials.getByName(kName);
  if (!material.isNull()) {
    return material;
  }
  const std::string vertex = std::string(kName) + "_vertex";
  const std::string fragment = std::string(kName) + "_fragment";
  MakeProgram(vertex, Ogre::GPT_VERTEX_PROGRAM, kVertexShader);
  MakeProgram(fragment, Ogre::GPT_FRAGMENT_PROGRAM, kFragmentShader);
  material = materials.create(kName, Ogre::ResourceGroupManager::DEFAULT_RESOURCE_GROUP_NAME);
  material->removeAllTechniques();
  for (const Technique number : {kFront, kBothSides, kHidden}) {
    Ogre::Pass* pass = material->createTechnique()->createPass();
    pass->setLightingEnabled(false);
    pass->setCullingMode(number == kBothSides ? Ogre::CULL_NONE : Ogre::CULL_CLOCKWISE);
    pass->setColourWriteEnabled(number != kHidden);
    pass->setDepthWriteEnabled(number != kHidden);
    pass->setVertexProgram(vertex);
    pass->getVertexProgramParameters()->setNamedAutoConstant(
        "to_screen", Ogre::GpuProgramParameters::ACT_WORLDVIEWPROJ_MATRIX);
    pass->getVertexProgramParameters()->setNamedAutoConstant(
        "to_camera", Ogre::GpuProgramParameters::ACT_WORLDVIEW_MATRIX);
    pass->setFragmentProgram(fragment);
    pass->getFragmentProgramParameters()->setNamedAutoConstant(
        "number", Ogre::GpuProgramParameters::ACT_CUSTOM, kNumber);
  }
  material->load();
  return material;
}

/// Gives what is drawn its number, while a picture is taken.
class Numbering : public Ogre::MaterialManager::Listener {
 public:
  Numbering(rendering::Scene& scene, const std::vector<SceneState::Part>& parts)
      : material_(NumberMaterial()) {
    for (const SceneState::Part& part : parts) {
      names_.emplace(part.id, part.name);
    }
    Add(*scene.WorldVisual(), -1);
    Ogre::MaterialManager::getSingleton().addListener(this, kName);
  }
  ~Numbering() override { Ogre::MaterialManager::getSingleton().removeListener(this, kName); }
  Numbering(const Numbering&) = delete;
  Numbering& operator=(const Numbering&) = delete;

  const std::vector<std::string>& Links() const { return links_; }

  Ogre::Technique* handleSchemeNotFound(unsigned short /*index*/, const Ogre::String& /*scheme*/,
                                        Ogre::Material* original, unsigned short /*level*/,
                                        const Ogre::Renderable* renderable) override {
    if (renderable == nullptr) {  // OGRE may ask for a material as such
      return material_->getTechnique(kHidden);
    }
    float number = -1.0F;
    const auto* part = dynamic_cast<const Ogre::SubEntity*>(renderable);
    if (part != nullptr) {  // all others are parts of a heightmap
      const Ogre::Any& owner = part->getParent()->getUserObjectBindings().getUserAny();
      const auto* name = Ogre::any_cast<std::string>(&owner);
      const auto known = name == nullptr ? numbers_.end() : numbers_.find(*name);
      if (known == numbers_.end()) {
        return material_->getTechnique(kHidden);
      }
      number = static_cast<float>(known->second);
    }
    const_cast<Ogre::Renderable*>(renderable)
        ->setCustomParameter(kNumber, Ogre::Vector4(number + 1.0F, 0.0F, 0.0F, 0.0F));
    Ogre::Technique* usual = original->getNumTechniques() > 0 ? original->getTechnique(0) : nullptr;
    const bool both = usual != nullptr && usual->getNumPasses() > 0 &&
                      usual->getPass(0)->getCullingMode() == Ogre::CULL_NONE;
    return material_->getTechnique(both ? kBothSides : kFront);
  }

 private:
  /// Numbers the visuals below one, by the links that they belong to.
  void Add(rendering::Visual& parent, int number) {
    for (unsigned int child = 0; child < parent.GetChildCount(); ++child) {
      const rendering::VisualPtr visual = parent.GetChild(child);
      int own = number;
      if (visual->GetType() == rendering::Visual::VT_LINK) {
        own = static_cast<int>(links_.size());
        links_.push_back(names_[visual->GetId()]);
      }
      if (own >= 0 && visual->GetTransparency() < 1.0F) {
        numbers_.emplace(visual->Name(), own);
      }
      Add(*visual, own);
    }
  }

  Ogre::MaterialPtr material_;
  std::unordered_map<std::uint32_t, std::string> names_;  // by Gazebo's id
  std::unordered_map<std::string, int> numbers_;          // by the names of visuals
  std::vector<std::string> links_;
};

Ogre::Vector3 Axis(const Pose3d& pose, double x, double y, double z) {
  const Vector3d axis = pose.Rot().RotateVector(Vector3d(x, y, z));
  return {static_cast<float>(axis.X()), static_cast<float>(axis.Y()), static_cast<float>(axis.Z())};
}

}  // namespace

DepthCamera::DepthCamera(rendering::Scene& scene)
    : scene_(scene), camera_(scene.OgreSceneManager()->createCamera(kName)) {}

DepthCamera::~DepthCamera() {
  if (!picture_.isNull()) {
    Ogre::TextureManager::getSingleton().remove(picture_->getName());
  }
  scene_.OgreSceneManager()->destroyCamera(camera_);
}

DepthImage DepthCamera::Take(const std::vector<SceneState::Part>& parts, const Pose3d& pose,
                             const Lens& lens) {
  Resize(lens.width, lens.height);
  const double aspect = static_cast<double>(lens.width) / lens.height;
  const double slope = std::tan(lens.horizontal_fov / 2.0) / aspect;
  camera_->setFOVy(Ogre::Radian(static_cast<float>(2.0 * std::atan(slope))));
  camera_->setAspectRatio(static_cast<float>(aspect));
  camera_->setNearClipDistance(static_cast<float>(lens.near));
  camera_->setFarClipDistance(static_cast<float>(lens.far));
  camera_->setPosition(static_cast<float>(pose.Pos().X()), static_cast<float>(pose.Pos().Y()),
                       static_cast<float>(pose.Pos().Z()));
  camera_->setOrientation(
      Ogre::Quaternion(Axis(pose, 0, -1, 0), Axis(pose, 0, 0, 1), Axis(pose, -1, 0, 0)));

  const Numbering numbering(scene_, parts);
  auto& materials = Ogre::MaterialManager::getSingleton();
  const std::string scheme = materials.getActiveScheme();
  const Ogre::HardwarePixelBufferSharedPtr buffer = picture_->getBuffer();
  buffer->getRenderTarget()->update();
  materials.setActiveScheme(scheme);  // Gazebo makes materials between pictures
  const std::size_t pixels = std::size_t{lens.width} * lens.height;
  std::vector<float> values(kChannels * pixels);
  buffer->blitToMemory(
      Ogre::PixelBox(lens.width, lens.height, 1, Ogre::PF_FLOAT32_RGBA, values.data()));

  DepthImage image;
  image.links = numbering.Links();
  image.depth.resize(pixels);
  image.drawn.resize(pixels);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    const float* value = &values[kChannels * pixel];
    const bool anything = value[0] > 0.0F;
    image.depth[pixel] = anything ? value[0] : std::numeric_limits<float>::infinity();
    image.drawn[pixel] = anything ? static_cast<std::int32_t>(std::lround(value[1])) - 1 : -1;
  }
  return image;
}

void DepthCamera::Resize(std::uint32_t width, std::uint32_t height) {
  if (!picture_.isNull() && picture_->getWidth() == width && picture_->getHeight() == height) {
    return;
  }
  auto& textures = Ogre::TextureManager::getSingleton();
  if (!picture_.isNull()) {
    textures.remove(picture_->getName());
  }
  picture_ = textures.createManual(kName, Ogre::ResourceGroupManager::DEFAULT_RESOURCE_GROUP_NAME,
                                   Ogre::TEX_TYPE_2D, width, height, 0, Ogre::PF_FLOAT32_RGBA,
                                   Ogre::TU_RENDERTARGET);
  Ogre::RenderTexture* target = picture_->getBuffer()->getRenderTarget();
  target->setAutoUpdated(false);
  target->setDepthBufferPool(kOwnPool);
  Ogre::Viewport* view = target->addViewport(camera_);
  view->setBackgroundColour(Ogre::ColourValue(0.0F, 0.0F, 0.0F, 0.0F));
  view->setMaterialScheme(kName);
  view->setVisibilityMask(GZ_VISIBILITY_ALL & ~(GZ_VISIBILITY_GUI | GZ_VISIBILITY_SELECTABLE));
  view->setShadowsEnabled(false);
  view->setSkiesEnabled(false);
  view->setOverlaysEnabled(false);
}

}  // namespace gazebo_batch_state
