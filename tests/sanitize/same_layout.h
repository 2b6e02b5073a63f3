#pragma once

// nlohmann's ordered_map is 8 bytes larger where Clang compiles it, as its headers ask for the attribute in a way that
// Clang denies. Rooms that are linked with tests of another compiler have to have the layout of those.
#include <nlohmann/detail/macro_scope.hpp>
#undef JSON_NO_UNIQUE_ADDRESS
#define JSON_NO_UNIQUE_ADDRESS [[no_unique_address]]
