// SPDX-License-Identifier: Apache-2.0
#include "gazebo_batch_state/sdf_text.hpp"

#include <ignition/math/Color.hh>
#include <ignition/math/Pose3.hh>
#include <ignition/math/Quaternion.hh>
#include <ignition/math/Vector2.hh>
#include <ignition/math/Vector3.hh>
#include <limits>
#include <locale>
#include <sdf/Param.hh>
#include <sstream>
#include <vector>

namespace gazebo_batch_state {
namespace {

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

using Numbers = std::vector<double>;

Numbers NumbersOf(double value) { return {value}; }
Numbers NumbersOf(const ignition::math::Vector2d& v) { return {v.X(), v.Y()}; }
Numbers NumbersOf(const ignition::math::Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }
Numbers NumbersOf(const ignition::math::Color& c) { return {c.R(), c.G(), c.B(), c.A()}; }
Numbers NumbersOf(const ignition::math::Quaterniond& q) { return NumbersOf(q.Euler()); }
Numbers NumbersOf(const ignition::math::Pose3d& pose) {
  Numbers numbers = NumbersOf(pose.Pos());
  const Numbers angles = NumbersOf(pose.Rot());
  numbers.insert(numbers.end(), angles.begin(), angles.end());
  return numbers;
}

/// Takes the numbers of a parameter, if it is of the type.
template <class Type>
bool Take(const sdf::Param& value, Numbers& numbers) {
  if (!value.IsType<Type>()) {
    return false;
  }
  Type typed;
  value.Get(typed);
  numbers = NumbersOf(typed);
  return true;
}

std::string Text(const sdf::Param& value) {
  Numbers numbers;
  const bool taken = Take<double>(value, numbers) || Take<float>(value, numbers) ||
                     Take<ignition::math::Vector2d>(value, numbers) ||
                     Take<ignition::math::Vector3d>(value, numbers) ||
                     Take<ignition::math::Color>(value, numbers) ||
                     Take<ignition::math::Quaterniond>(value, numbers) ||
                     Take<ignition::math::Pose3d>(value, numbers);
  if (!taken) {
    return Escaped(value.GetAsString());
  }
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(std::numeric_limits<double>::max_digits10);
  const char* gap = "";
  for (const double number : numbers) {
    out << gap << number;
    gap = " ";
  }
  return out.str();
}

void Write(const sdf::ElementPtr& element, std::ostream& out) {
  out << '<' << element->GetName();
  for (unsigned int number = 0; number < element->GetAttributeCount(); ++number) {
    const sdf::ParamPtr attribute = element->GetAttribute(number);
    if (attribute->GetSet()) {
      out << ' ' << attribute->GetKey() << "='" << Text(*attribute) << '\'';
    }
  }
  out << '>';
  if (element->GetFirstElement()) {
    for (auto child = element->GetFirstElement(); child; child = child->GetNextElement()) {
      Write(child, out);
    }
  } else if (element->GetValue()) {
    out << Text(*element->GetValue());
  }
  out << "</" << element->GetName() << ">\n";
}

}  // namespace

std::string SdfText(const sdf::ElementPtr& element) {
  std::ostringstream out;
  Write(element, out);
  return out.str();
}

}  // namespace gazebo_batch_state
