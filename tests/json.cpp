#include "tests/json.h"

template class nlohmann::basic_json<>;
template nlohmann::json nlohmann::json::parse(std::string&&, nlohmann::json::parser_callback_t, bool, bool);
template nlohmann::json nlohmann::json::parse(std::string&, nlohmann::json::parser_callback_t, bool, bool);
template nlohmann::json nlohmann::json::parse(const std::string&, nlohmann::json::parser_callback_t, bool, bool);
