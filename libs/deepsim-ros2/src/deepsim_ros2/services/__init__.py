# SPDX-License-Identifier: Apache-2.0
"""The services and the action of simulation_interfaces, by what they are about."""
