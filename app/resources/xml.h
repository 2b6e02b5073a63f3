#pragma once

#include <string>
#include <string_view>

namespace ropescope {

/// A text as it stands in an element or a quoted attribute of XML or HTML: & < > " are written as entities; what XML
/// 1.0 cannot hold (control characters but tab and line ends, bytes that are no UTF-8, U+FFFE and U+FFFF) becomes
/// U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace ropescope
