// Property tests of the program's English: words that only its authors would understand are in no interface text, no
// chapter of the handbook, no help string and no header comment, and sentences of interface texts stay short.

#include "core/check/causes/cause.h"
#include "tests/said.h"
#include "tests/unit/reference_data.h"

namespace ropescope {

namespace {

/// A piece of English and where it is.
struct Piece {
  std::string place, text;
};

/// Words and phrases, each with a plain equivalent and maybe phrases in which it is right.
const json& private_words() {
  static const json words = read_reference("english/private_words.json");
  return words;
}

std::regex whole_word(const std::string& pattern) {
  return std::regex("(^|[^A-Za-z'_-])(" + pattern + ")($|[^A-Za-z'_-])", std::regex::icase);
}

std::string without(std::string text, const std::vector<std::string>& phrases) {
  for (const std::string& phrase : phrases) {
    for (std::size_t at = text.find(phrase); at != std::string::npos; at = text.find(phrase))
      text.erase(at, phrase.size());
  }
  return text;
}

/// The words in which a text breaks the rule.
std::vector<std::string> private_words_in(const std::string& text) {
  static const auto patterns = [] {
    std::vector<std::regex> all;
    for (const json& word : private_words()) all.push_back(whole_word(word.at(0)));
    return all;
  }();
  std::vector<std::string> found;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (!std::regex_search(text, patterns[i])) continue;
    const json& word = private_words()[i];
    const auto allowed = word.size() > 2 ? word[2].get<std::vector<std::string>>() : std::vector<std::string>();
    if (std::regex_search(without(text, allowed), patterns[i])) found.push_back(word[0]);
  }
  return found;
}

std::vector<Piece> lines_of(const fs::path& file, const std::regex& chosen) {
  std::vector<Piece> lines;
  std::ifstream stream(file);
  std::string line;
  bool code = false;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.starts_with("```")) code = !code;
    std::smatch match;
    if (code || !std::regex_search(line, match, chosen)) continue;
    lines.push_back({fs::relative(file, source_folder()).generic_string() + ":" + std::to_string(number),
                     match.size() > 1 ? match[1].str() : line});
  }
  return lines;
}

std::vector<Piece> lines_below(const std::vector<std::string>& folders, const std::string& ending,
                               const std::string& chosen, bool nested = true) {
  std::vector<Piece> all;
  for (const std::string& folder : folders) {
    std::vector<fs::path> files;
    for (auto at = fs::recursive_directory_iterator(source_folder() + "/" + folder); at != fs::end(at); ++at) {
      if (at->is_directory() && !nested) at.disable_recursion_pending();
      if (at->is_regular_file() && at->path().extension() == ending) files.push_back(at->path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      for (Piece& piece : lines_of(file, std::regex(chosen))) all.push_back(std::move(piece));
    }
  }
  return all;
}

/// Sentences end at a full stop, question mark or exclamation mark before a space, and at the end of a line.
std::size_t words_of_longest_sentence(const std::string& text) {
  std::size_t longest = 0, words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' && text[i] != '\n') continue;
    ++words;
    const char before = i > 0 && text[i] == ' ' ? text[i - 1] : '.';
    if (before == '.' || before == '?' || before == '!') longest = std::max(longest, words), words = 0;
  }
  return std::max(longest, words + 1);
}

}  // namespace

TEST(English, ThePatternsFindWhatTheyAreFor) {
  EXPECT_EQ(private_words().size(), 22u);
  EXPECT_EQ(private_words_in("Mend it.").size(), 1U);
  EXPECT_EQ(private_words_in("This is no rotation.").size(), 1U);
  EXPECT_EQ(private_words_in("There is no rotation; there is no end.").size(), 0U);
  EXPECT_EQ(private_words_in("amended, a recommended tool, Nobodys").size(), 0U);
  EXPECT_EQ(private_words_in("a number was expected").size(), 1U);
  EXPECT_EQ(words_of_longest_sentence("One two. One two three."), 3U);
  EXPECT_EQ(words_of_longest_sentence("One two:\nOne two three."), 3U);
}

TEST(English, HasNoPrivateWords) {
  std::vector<Piece> pieces;
  for (const auto& [key, text] : english_text().all()) pieces.push_back({key, text});
  const std::size_t texts = pieces.size();
  // The chapters below a folder of their own are in other languages.
  for (Piece& line : lines_below({"assets/handbook"}, ".md", ".", false)) pieces.push_back(std::move(line));
  for (Piece& line : lines_of(source_folder() + "/README.md", std::regex("."))) pieces.push_back(std::move(line));
  for (Piece& line : lines_below({"core", "app"}, ".h", "//(.*)")) pieces.push_back(std::move(line));
  for (Piece& line : lines_below({"app/commands"}, ".cpp", "\"(.* .*)\"")) pieces.push_back(std::move(line));
  EXPECT_GT(texts, 4000U);
  EXPECT_GT(pieces.size(), texts + 5000);
  for (const Piece& piece : pieces) {
    for (const std::string& word : private_words_in(piece.text))
      ADD_FAILURE() << piece.place << ": " << word << " in: " << piece.text;
  }
}

TEST(English, SentencesOfInterfaceTextsAreShort) {
  constexpr std::size_t kMaxWords = 40;
  for (const auto& [key, text] : english_text().all()) {
    if (key.starts_with("layout.") && key.ends_with(".ids")) continue;  // formulas, part by part
    EXPECT_LE(words_of_longest_sentence(text), kMaxWords) << key << ": " << text;
  }
}

TEST(English, EveryCauseHasATitleInEveryLanguage) {
  for (const char* language : {"en", "ja", "ko"}) {
    // Text would answer in English where another language has nothing.
    std::ifstream file(source_folder() + "/assets/text/" + language + ".json");
    const json titles = json::parse(file).at("view").at("check").at("cause");
    for (const Cause* cause : all_causes()) {
      EXPECT_TRUE(titles.contains(std::string(cause->name))) << language << ": " << cause->name;
    }
  }
}

}  // namespace ropescope
