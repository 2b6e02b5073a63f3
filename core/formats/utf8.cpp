#include "core/formats/utf8.h"

namespace ropescope {

bool append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&text](std::uint32_t value) { text += static_cast<char>(value); };
  const auto rest = [&](int shift) { byte(0x80 | (code >> shift & 0x3f)); };
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    rest(6);
    rest(0);
  } else {
    byte(0xf0 | code >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
  return true;
}

int digit_of(char c, int base) {
  int value = -1;
  if (c >= '0' && c <= '9') value = c - '0';
  if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
  return value < base ? value : -1;
}

}  // namespace ropescope
