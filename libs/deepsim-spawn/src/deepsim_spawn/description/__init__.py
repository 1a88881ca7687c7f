# SPDX-License-Identifier: Apache-2.0
"""Descriptions of worlds and models: frozen, typed, in SI units, the same for every backend.

WorldDescription                Physics, MujocoOptions, SceneDescription
├── LightDescription
└── ModelDescription            also nested in models
    ├── LinkDescription
    │   ├── CollisionDescription    Geometry, Surface
    │   ├── VisualDescription       Geometry, Material
    │   ├── SensorDescription       CameraDescription, Measurement
    │   └── LightDescription
    └── JointDescription            JointAxis, MimicDescription
"""
