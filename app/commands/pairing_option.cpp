#include "app/commands/pairing_option.h"

#include "app/commands/arguments.h"

namespace ropescope {

std::string pairing_word(Pairing pairing) {
  return pairing == Pairing::interleaved ? "interleaved" : "half";
}

Pairing read_pairing(const std::string& text) {
  if (text != "interleaved" && text != "half") reject("--pairing", text, "interleaved or half");
  return text == "half" ? Pairing::half_split : Pairing::interleaved;
}

}  // namespace ropescope
