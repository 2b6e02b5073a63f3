// The rest of basic_json is instantiated in core/formats/nlohmann.cpp.
#include "tests/json.h"

template nlohmann::json nlohmann::json::parse(std::string&&, nlohmann::json::parser_callback_t, bool, bool);
template nlohmann::json nlohmann::json::parse(std::string&, nlohmann::json::parser_callback_t, bool, bool);
template nlohmann::json nlohmann::json::parse(const std::string&, nlohmann::json::parser_callback_t, bool, bool);
