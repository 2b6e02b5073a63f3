#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace ropescope {

/// All words on screen, from assets/text/LANGUAGE.json: an object of key → text (nested objects join their keys with
/// dots). English stands in for a key that another language lacks.
class Text {
 public:
  static Text load(const std::filesystem::path& assets, const std::string& language = "en");

  /// The text of a key. An unknown key is a mistake of ours: throws std::logic_error that names it.
  const std::string& operator[](std::string_view key) const;
  bool has(std::string_view key) const;
  /// The text with each {name} replaced.
  std::string format(std::string_view key,
                     std::initializer_list<std::pair<std::string_view, std::string>> values) const;
  /// Every text, for the glyphs of the font atlas.
  const std::map<std::string, std::string, std::less<>>& all() const { return texts_; }

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace ropescope
