#include "core/formats/embedded_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/message.h"

/// Any bytes as a picture that may carry a text: one that is no longer than the file (a byte of a PDF may become two of
/// UTF-8), or an InputError of one line; nothing else. What is written into a PNG or an SVG is read back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  std::optional<std::string> text;
  try {
    text = ropescope::carried_text(file, "fuzzed");
    if (text && text->size() > 2 * size) __builtin_trap();
  } catch (const ropescope::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  // Escapes would be an end of what they are in.
  if (file.find("<![CDATA[") == std::string::npos) {
    const std::string svg = ropescope::svg_with_text("<svg></svg>", file);
    if (ropescope::carried_text(svg, "written") != file) __builtin_trap();
  }
  return 0;
}
