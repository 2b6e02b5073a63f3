#include "app/commands/language_option.h"

#include "app/resources/files.h"
#include "app/resources/language.h"
#include "core/error.h"

namespace ropescope {

std::vector<std::string> known_languages() {
  try {
    return languages(find_places().assets);
  } catch (const InputError&) {
    return {kEnglish};
  }
}

void add_language_option(Arguments& arguments, std::optional<std::string>& target) {
  std::string codes;
  for (const std::string& code : known_languages()) codes += (codes.empty() ? "" : "|") + code;
  arguments.option("--language", codes, target, "Language of all words in the picture (default: en)");
}

Text read_language(const std::optional<std::string>& given, Text::FormulaForm form) {
  const Places places = find_places();
  return Text::load(places.assets, given ? parse_language(*given, places.assets) : kEnglish, form);
}

}  // namespace ropescope
