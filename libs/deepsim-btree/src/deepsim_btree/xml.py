# SPDX-License-Identifier: Apache-2.0
"""Reading and writing of trees in the XML of BehaviorTree.CPP 4, and node models for Groot2.

The page docs/xml.md lists which parts of the format are supported.
"""

from .btcpp.reader import read_xml, read_xml_file
from .btcpp.writer import write_nodes_model, write_xml
from .errors import XmlError

__all__ = ["XmlError", "read_xml", "read_xml_file", "write_nodes_model", "write_xml"]
