#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/experiment/fields.h"
#include "core/words.h"

namespace ropescope {

/// Writes every field under its key: "rope.base" becomes {"rope": {"base": …}}. Whole numbers are written without a
/// point.
class JsonWriter : public Fields {
 public:
  nlohmann::ordered_json root = nlohmann::ordered_json::object();
  void number(const NumberField& field, double& value) override;
  void choice(const ChoiceField& field, std::string& value) override;
  void toggle(const ToggleField& field, bool& value) override;
  void text(const TextField& field, std::string& value) override;
  void range(const RangeField& field, std::optional<Range>& value) override;
  void names(const NamesField& field, std::vector<std::string>& value) override;

 private:
  nlohmann::ordered_json& at(std::string_view key);
};

/// Fills fields from an object of that form. Missing keys leave their value; a wrong type, a number out of range and an
/// unknown option throw InputError "SOURCE: PREFIXrope.base is 0.5; a number from 1.01 to 1e+12 was expected".
class JsonReader : public Fields {
 public:
  /// Precondition: root is an object and outlives the reader.
  JsonReader(const nlohmann::json& root, std::string source, std::string prefix = {});
  void number(const NumberField& field, double& value) override;
  void choice(const ChoiceField& field, std::string& value) override;
  void toggle(const ToggleField& field, bool& value) override;
  void text(const TextField& field, std::string& value) override;
  void range(const RangeField& field, std::optional<Range>& value) override;
  void names(const NamesField& field, std::vector<std::string>& value) override;

  /// Throws InputError for a key that no field asked for and that is not one of `others`, naming near ones.
  void refuse_unknown_keys(const std::set<std::string>& others) const;
  [[noreturn]] void refuse(std::string_view key, const nlohmann::json& found, const Words& expected) const;
  [[noreturn]] void refuse_unknown(const std::string& key) const;

 private:
  /// The value of a key; nullptr where it is missing. Remembers that the key is known.
  const nlohmann::json* find(std::string_view key);

  const nlohmann::json& root_;
  std::string source_, prefix_;
  std::set<std::string> known_;
};

}  // namespace ropescope
