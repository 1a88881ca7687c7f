# SPDX-License-Identifier: Apache-2.0
"""Robots of MuJoCo Menagerie, whose files users fetch or have in a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepsim_robots.parts import Gains
from deepsim_sync import UnknownEntityError

from .entry import CatalogueEntry, MissingPackageError, is_installed, package_file

PREFIX = "menagerie/"
"""Prefix of these robots' names, such as ``menagerie/unitree_go2``."""

MENAGERIE = "mujoco-menagerie"
"""The package that fetches these robots, and lists more of them."""
_KINDS = {
    "biomechanical": "other",
    "drone": "flying",
    "dual_arm": "bimanual",
    "end_effector": "hand",
    "misc": "other",
    "mobile_base": "wheeled",
    "mobile_manipulator": "wheeled",
}
"""Kinds of entries by the categories of the package, where they differ."""


@dataclass(frozen=True)
class MenagerieEntry(CatalogueEntry):
    """A robot of MuJoCo Menagerie, with the gains and home position of its file.

    Its only part, ``controls``, has an action for each actuator of the file, in the file's units.
    The files are searched for in the folder ``MENAGERIE_ROOT`` and the cache of mujoco-menagerie.
    """

    @property
    def is_installed(self) -> bool:
        """Whether the robot's files are on this machine."""
        return any(path.is_file() for path in self._paths())

    @property
    def path(self) -> Path:
        """The path of the file; raises MissingPackageError if it is not on this machine."""
        for path in self._paths():
            if path.is_file():
                return path
        install = "" if is_installed(MENAGERIE) else f"pip install {MENAGERIE}; "
        raise MissingPackageError(
            f"robot {self.name!r}: its files are not here; fetch them once: {install}python -c "
            f"\"import mujoco_menagerie; mujoco_menagerie.get('{self._key}').path()\", "
            "or set MENAGERIE_ROOT to a folder that contains them"
        )

    @property
    def _key(self) -> str:
        return self.name.removeprefix(PREFIX)

    def _paths(self) -> list[Path]:
        """Returns where the file may be, in order."""
        root, cache = os.environ.get("MENAGERIE_ROOT"), os.environ.get("MENAGERIE_CACHE_DIR")
        paths = [Path(root) / self.file] if root else []
        if is_installed(MENAGERIE) and self._key in (robots := _registry(self.name)):
            home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
            models = Path(cache or home / "mujoco_menagerie") / "models"
            folder = f"{self._key}-{robots[self._key]['oid'][:16]}"
            paths.append(models / folder / self.file.partition("/")[2])
        return paths


_ROBOTS = (
    ("agilex_piper/piper.xml", "arm", "MIT", "AgileX PiPER, 6 joints and a gripper"),
    ("agility_cassie/cassie.xml", "biped", "MIT", "Agility Cassie"),
    ("aloha/aloha.xml", "bimanual", "BSD-3-Clause", "ALOHA 2, two arms with grippers"),
    ("anybotics_anymal_b/anymal_b.xml", "quadruped", "BSD-3-Clause", "ANYmal B"),
    ("anybotics_anymal_c/anymal_c.xml", "quadruped", "BSD-3-Clause", "ANYmal C"),
    ("apptronik_apollo/apptronik_apollo.xml", "humanoid", "Apache-2.0", "Apptronik Apollo"),
    ("arx_l5/arx_l5.xml", "arm", "BSD-3-Clause", "ARX L5"),
    ("berkeley_humanoid/berkeley_humanoid.xml", "humanoid", "BSD-3-Clause", "Berkeley Humanoid"),
    ("bitcraze_crazyflie_2/cf2.xml", "flying", "MIT", "Bitcraze Crazyflie 2, a quadrotor of 27 g"),
    ("booster_t1/t1.xml", "humanoid", "Apache-2.0", "Booster T1"),
    ("boston_dynamics_spot/spot.xml", "quadruped", "BSD-3-Clause", "Boston Dynamics Spot"),
    ("dynamixel_2r/dynamixel_2r.xml", "arm", "MIT", "two joints of Dynamixel servos"),
    ("flexiv_rizon4/flexiv_rizon4.xml", "arm", "Apache-2.0", "Flexiv Rizon 4"),
    ("flexiv_rizon4s/flexiv_rizon4s.xml", "arm", "Apache-2.0", "Flexiv Rizon 4s"),
    ("flybody/fruitfly.xml", "other", "Apache-2.0", "fruit fly, with wings and adhesive feet"),
    ("fourier_n1/n1.xml", "humanoid", "Apache-2.0", "Fourier N1"),
    ("franka_emika_panda/panda.xml", "arm", "Apache-2.0", "Franka Panda with its hand"),
    ("franka_fr3/fr3.xml", "arm", "Apache-2.0", "Franka FR3"),
    ("franka_fr3_v2/fr3v2.xml", "arm", "Apache-2.0", "Franka FR3 v2"),
    ("google_barkour_v0/barkour_v0.xml", "quadruped", "Apache-2.0", "Google Barkour v0"),
    ("google_barkour_vb/barkour_vb.xml", "quadruped", "Apache-2.0", "Google Barkour vB"),
    ("google_robot/robot.xml", "wheeled", "Apache-2.0", "Google's mobile manipulator"),
    ("hello_robot_stretch/stretch.xml", "wheeled", "BSD-3-Clause-Clear", "Hello Robot Stretch 2"),
    ("hello_robot_stretch_3/stretch.xml", "wheeled", "Apache-2.0", "Hello Robot Stretch 3"),
    ("i2rt_yam/yam.xml", "arm", "MIT", "YAM of I2RT"),
    ("iit_softfoot/softfoot.xml", "other", "BSD-3-Clause", "SoftFoot of IIT, a compliant foot"),
    ("kinova_gen3/gen3.xml", "arm", "BSD-3-Clause", "Kinova Gen3"),
    ("kuka_iiwa_14/iiwa14.xml", "arm", "BSD-3-Clause", "KUKA LBR iiwa 14"),
    ("leap_hand/left_hand.xml", "hand", "MIT", "LEAP hand"),
    (
        "low_cost_robot_arm/low_cost_robot_arm.xml",
        "arm",
        "Apache-2.0",
        "low-cost robot arm of Koch",
    ),
    (
        "ms_human_700/MS-Human-700.xml",
        "other",
        "Apache-2.0",
        "MS-Human-700, a musculoskeletal human",
    ),
    ("pal_talos/talos_position.xml", "humanoid", "Apache-2.0", "PAL TALOS"),
    ("pal_tiago/tiago_position.xml", "wheeled", "Apache-2.0", "PAL TIAGo"),
    ("pal_tiago_dual/tiago_dual_position.xml", "wheeled", "Apache-2.0", "PAL TIAGo++, two arms"),
    ("pndbotics_adam_lite/adam_lite.xml", "humanoid", "MIT", "PNDbotics Adam Lite"),
    (
        "rainbow_robotics_rby1/rby1a_1.2.xml",
        "wheeled",
        "Apache-2.0",
        "Rainbow Robotics RB-Y1, two arms on a base",
    ),
    ("realsense_d435i/d435i.xml", "other", "Apache-2.0", "RealSense D435i, a camera"),
    ("rethink_robotics_sawyer/sawyer.xml", "arm", "Apache-2.0", "Rethink Robotics Sawyer"),
    (
        "robot_soccer_kit/robot_soccer_kit.xml",
        "wheeled",
        "MIT",
        "Robot Soccer Kit, an omnidirectional base",
    ),
    ("robotiq_2f85/2f85.xml", "gripper", "BSD-2-Clause", "Robotiq 2F-85"),
    ("robotiq_2f85_v4/2f85.xml", "gripper", "BSD-2-Clause", "Robotiq 2F-85 v4"),
    ("robotis_omy_3m/omy_3m.xml", "arm", "Apache-2.0", "ROBOTIS OMY-3M"),
    ("robotis_op3/op3.xml", "humanoid", "Apache-2.0", "ROBOTIS OP3"),
    ("robotstudio_so101/so101.xml", "arm", "Apache-2.0", "Standard Open Arm SO-101"),
    ("seeed_rebot_devarm/seeed_rebot_devarm.xml", "arm", "MIT", "Seeed Studio reBot DevArm"),
    ("shadow_dexee/shadow_dexee.xml", "hand", "Apache-2.0", "Shadow DEX-EE, three fingers"),
    ("shadow_hand/left_hand.xml", "hand", "Apache-2.0", "Shadow Hand E3M5"),
    ("sharpa_wave/left_hand.xml", "hand", "Apache-2.0", "Sharpa Wave"),
    ("skydio_x2/x2.xml", "flying", "Apache-2.0", "Skydio X2, a quadrotor"),
    (
        "stanford_tidybot/tidybot.xml",
        "wheeled",
        "MIT",
        "Stanford TidyBot, a base with a Kinova arm",
    ),
    (
        "tetheria_aero_hand_open/right_hand.xml",
        "hand",
        "Apache-2.0",
        "TetherIA Aero Hand Open, pulled by tendons",
    ),
    ("toddlerbot_2xc/toddlerbot_2xc.xml", "humanoid", "MIT", "ToddlerBot 2XC"),
    ("toddlerbot_2xm/toddlerbot_2xm.xml", "humanoid", "MIT", "ToddlerBot 2XM"),
    ("trossen_vx300s/vx300s.xml", "arm", "BSD-3-Clause", "Trossen ViperX 300, 6 joints"),
    ("trossen_wx250s/wx250s.xml", "arm", "BSD-3-Clause", "Trossen WidowX 250, 6 joints"),
    (
        "trossen_wxai/wxai_follower_biarm.xml",
        "bimanual",
        "BSD-3-Clause",
        "Trossen WidowX AI, two arms",
    ),
    ("trs_so_arm100/so_arm100.xml", "arm", "Apache-2.0", "Standard Open Arm SO-100"),
    ("ufactory_lite6/lite6.xml", "arm", "BSD-3-Clause", "UFACTORY Lite 6"),
    ("ufactory_xarm7/xarm7.xml", "arm", "BSD-3-Clause", "UFACTORY xArm 7 with its gripper"),
    ("umi_gripper/umi_gripper.xml", "gripper", "MIT", "UMI gripper"),
    ("unitree_a1/a1.xml", "quadruped", "BSD-3-Clause", "Unitree A1"),
    ("unitree_g1/g1.xml", "humanoid", "BSD-3-Clause", "Unitree G1"),
    ("unitree_go1/go1.xml", "quadruped", "BSD-3-Clause", "Unitree Go1"),
    ("unitree_go2/go2.xml", "quadruped", "BSD-3-Clause", "Unitree Go2"),
    ("unitree_h1/h1.xml", "humanoid", "BSD-3-Clause", "Unitree H1"),
    ("unitree_z1/z1.xml", "arm", "BSD-3-Clause", "Unitree Z1"),
    ("universal_robots_ur10e/ur10e.xml", "arm", "BSD-3-Clause", "Universal Robots UR10e"),
    ("universal_robots_ur5e/ur5e.xml", "arm", "BSD-3-Clause", "Universal Robots UR5e"),
    ("wonik_allegro/left_hand.xml", "hand", "BSD-2-Clause", "Wonik Allegro hand, version 3"),
)
"""The file below the folder of all robots, kind, licence and description of each robot."""

_TODDLERBOT = {
    ".*_(drive|act|act_[12]|hip_(pitch|roll)|knee|ankle_.*|shoulder_(pitch|roll))": Gains(
        20.0, 1.0
    ),
    ".*_(elbow|wrist)_roll": Gains(20.0, 1.0),
}
_POSITION_GAINS: Mapping[str, Mapping[str, Gains]] = {
    "pndbotics_adam_lite": {
        "anklePitch_.*": Gains(1600.0, 80.0),
        "ankleRoll_.*": Gains(500.0, 25.0),
    },
    "toddlerbot_2xc": _TODDLERBOT,
    "toddlerbot_2xm": _TODDLERBOT,
}
"""Gains of joints by robot, in addition to those that follow from effort limits.

With these the robots stand; ToddlerBot's motors have no limits in its file.
"""

OF_MENAGERIE = tuple(
    MenagerieEntry(
        name=PREFIX + file.partition("/")[0],
        about=about,
        kind=kind,
        file=file,
        package=MENAGERIE,
        licence=licence,
        position_gains=_POSITION_GAINS.get(file.partition("/")[0], {}),
    )
    for file, kind, licence, about in _ROBOTS
)


def find_menagerie(name: str) -> MenagerieEntry:
    """Returns a robot that only the installed version of mujoco-menagerie knows.

    Raises:
        MissingPackageError: mujoco-menagerie is not installed.
        UnknownEntityError: The robot does not exist; the message suggests similar names.
    """
    robots, key = _registry(name), name.removeprefix(PREFIX)
    if key not in robots:
        known = {*(entry.name for entry in OF_MENAGERIE), *(PREFIX + each for each in robots)}
        raise UnknownEntityError("robot", name, sorted(known))
    robot = robots[key]
    return MenagerieEntry(
        name=name,
        about=robot["display_name"],
        kind=_KINDS.get(robot["category"], robot["category"]),
        file=f"{key}/{robot['entry_points'][robot['default_model']]['file']}",
        package=MENAGERIE,
        licence=robot["license"],
    )


def _registry(robot: str) -> Mapping[str, Any]:
    """Returns the robots of the installed package."""
    file = package_file(MENAGERIE, "mujoco_menagerie/registry.json", robot)
    robots: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))["robots"]
    return robots
