#pragma once

#include <optional>
#include <string>

#include "app/commands/arguments.h"
#include "core/formats/equivalents.h"

namespace ropescope {

/// "--as WORDS": the embedding in the words of another program.
void add_as_option(Arguments& arguments, std::optional<std::string>& target);

/// What the option asks for. Throws InputError: words that nobody knows.
const OtherWords& read_as(const std::string& option);

/// Throws InputError: the words have a form of their own.
[[noreturn]] void refuse_json_with_as();

/// Writes the text to the file or to standard output, and what cannot be said to standard error, a line each. Throws
/// InputError where nothing can be said, with the first reason.
void put_equivalent(const std::optional<std::string>& path, const std::string& as, const EquivalentOf& of);
/// The same of a layout of tokens. Throws InputError as arrange() too.
void put_equivalent(const std::optional<std::string>& path, const std::string& as, const Layout& layout,
                    const LayoutRequest& request);

}  // namespace ropescope
