#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/arguments.h"
#include "app/resources/text.h"

namespace ropescope {

/// The languages that there are; English alone where the assets are not found.
std::vector<std::string> known_languages();
/// Declares --language of a command that draws. Without it English, whatever the locale: a script gives the same figure
/// everywhere.
void add_language_option(Arguments& arguments, std::optional<std::string>& target);

/// Its texts. Throws InputError that names the option and lists the languages.
Text read_language(const std::optional<std::string>& given, Text::FormulaForm form = Text::FormulaForm::plain);

}  // namespace ropescope
