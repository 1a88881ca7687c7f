# SPDX-License-Identifier: Apache-2.0
"""The small language in which files of BehaviorTree.CPP 4 read and write the blackboard."""

from .language import Script
from .nodes import Conditions, Precondition, RunScript, ScriptCheck

__all__ = ["Conditions", "Precondition", "RunScript", "Script", "ScriptCheck"]
