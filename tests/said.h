#pragma once

#include "app/resources/text.h"
#include "core/message.h"
#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {

inline const Text& english_text() {
  static const Text english = Text::load(source_folder() + "/assets");
  return english;
}

/// In English, as the command line says it.
inline std::string said(const Message& words) {
  return english_text().render(words);
}
inline std::string said(const InputError& error) {
  return said(error.words());
}

inline std::vector<std::string> said(const Message::List& list) {
  std::vector<std::string> sentences;
  for (const Message& words : list) sentences.push_back(said(words));
  return sentences;
}

/// The fixed parts of the English text of a key in their order, with the given values in place of their names: what
/// stands between them depends on other values. A value also chooses between singular and plural.
class FixedParts {
 public:
  FixedParts(const std::string& key, const std::map<std::string, std::string>& values) : values_(values) {
    add(english_text()[key], "");
  }
  const std::vector<std::string>& parts() const { return parts_; }
  /// The names of the text's placeholders.
  const std::set<std::string>& names() const { return used_; }
  /// The values whose names the text does not have.
  std::string unused() const {
    std::string names;
    for (const auto& [name, value] : values_) names += used_.contains(name) ? "" : " " + name;
    return names;
  }

 private:
  /// The text between the brace at `begin` and its partner.
  static std::string_view within(std::string_view text, std::size_t begin) {
    std::size_t end = begin + 1;
    for (int depth = 1; depth > 0 && end < text.size(); ++end)
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    return text.substr(begin + 1, end - begin - 2);
  }
  /// `number` stands for # within a plural form.
  void add(std::string_view text, const std::string& number) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '#' && !number.empty()) {
        parts_.back() += number;
      } else if (text[i] != '{') {
        parts_.back() += text[i];
      } else {
        const std::string_view group = within(text, i);
        const std::string name(group.substr(0, group.find(',')));
        const auto value = values_.find(name);
        used_.insert(name);
        i += group.size() + 1;
        if (value == values_.end()) {
          parts_.emplace_back();
        } else if (name.size() == group.size()) {
          parts_.back() += value->second;
        } else {
          const std::string form = value->second == "1" ? "one {" : "other {";
          add(within(group, group.find(form) + form.size() - 1), value->second);
        }
      }
    }
  }

  const std::map<std::string, std::string>& values_;
  std::vector<std::string> parts_ = {""};
  std::set<std::string> used_;
};

/// The longest fixed part of the English text of a key, for a substring that recognises it.
inline std::string part_of(const std::string& key) {
  std::string longest;
  const std::map<std::string, std::string> none;
  const FixedParts fixed(key, none);
  for (const std::string& part : fixed.parts()) {
    if (part.size() > longest.size()) longest = part;
  }
  return longest;
}

using TextValues = std::map<std::string, std::string>;

MATCHER_P2(RendersText, key, values, "says " + key) {
  const FixedParts fixed(key, values);
  if (!fixed.unused().empty()) {
    *result_listener << "whose text has no" << fixed.unused();
    return false;
  }
  std::size_t at = 0;
  for (const std::string& part : fixed.parts()) {
    at = arg.find(part, at);
    if (at == std::string::npos) {
      *result_listener << "which has no “" << part << "”";
      return false;
    }
    at += part.size();
  }
  return true;
}
/// Matches text that contains a rendering of a key of assets/text: tests recognise a message by its key and its values,
/// so that its wording can change.
inline auto Says(const std::string& key, const TextValues& values = {}) {
  return RendersText(key, values);
}

/// What the card of a verdict shows if one cause was found: "Disagrees: Wrong base" for "base".
inline std::string disagrees(const std::string& cause) {
  return english_text().format("readout.check_verdict.because",
                               {{"cause", english_text()["view.check.cause." + cause]}});
}

/// What an action that must fail is refused with; "" where it is not.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return said(error);
  }
  return "";
}
/// Like EXPECT_THROW, of an InputError, with a matcher of its words.
#define EXPECT_REFUSED(statement, matcher)                 \
  EXPECT_THAT(::ropescope::refusal_of([&] { statement; }), \
              ::testing::AllOf(::testing::Not(::testing::IsEmpty()), matcher))

}  // namespace ropescope
