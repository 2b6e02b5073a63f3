// Core uses keys and values: these tests read its sources and compare them with the texts.

#include "tests/said.h"

namespace ropescope {

namespace {

struct Literal {
  std::string text;
  std::size_t begin = 0, end = 0;  ///< of the quotes
};

struct Source {
  std::string file;  ///< from the top of the repository
  std::string code;
  std::vector<Literal> literals;
};

/// Past what begins at this place: a quoted text or character, in which a backslash takes the next one along.
std::size_t end_of_quotes(const std::string& code, std::size_t at) {
  const char quote = code[at++];
  while (at < code.size() && code[at] != quote) at += code[at] == '\\' ? 2 : 1;
  return at + 1;
}

/// The texts in quotes; not those of comments, includes and raw strings (which hold JSON).
std::vector<Literal> literals_of(const std::string& code) {
  std::vector<Literal> found;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const auto begins = [&](const char* word) { return code.compare(at, std::string(word).size(), word) == 0; };
    if (begins("//") || begins("#include")) at = std::min(code.find('\n', at), code.size());
    if (begins("R\"(")) at = code.find(")\"", at) + 2;
    const bool digits = at > 0 && std::isalnum(static_cast<unsigned char>(code[at - 1])) != 0;  // 1'000
    if (at >= code.size() || (code[at] != '"' && (code[at] != '\'' || digits))) continue;
    const std::size_t end = end_of_quotes(code, at);
    if (code[at] == '"') found.push_back({code.substr(at + 1, end - at - 2), at, end});
    at = end - 1;
  }
  return found;
}

std::vector<Source> sources_of(const std::string& folder) {
  std::vector<Source> sources;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_folder()) / folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream stream(entry.path());
    Source source;
    source.file = fs::relative(entry.path(), source_folder()).generic_string();
    source.code.assign(std::istreambuf_iterator<char>(stream), {});
    source.literals = literals_of(source.code);
    sources.push_back(std::move(source));
  }
  EXPECT_FALSE(sources.empty()) << folder;
  return sources;
}

/// Two words with a blank between them, or a word beside the blank that joins it to others.
bool looks_english(const std::string& text) {
  static const std::regex pattern("[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}|^[,;:]? [A-Za-z]{2,}|[A-Za-z]{2,}[,;:]? $");
  return std::regex_search(text, pattern);
}

bool looks_like_key(const std::string& text) {
  static const std::regex pattern("[a-z][a-z0-9_]*(\\.[a-z0-9_-]+)+");
  return std::regex_match(text, pattern);
}

/// Where the bracket that opens here is closed.
std::size_t end_of_bracket(const std::string& code, std::size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == '"') at = end_of_quotes(code, at) - 1;
    if (code[at] == '{' || code[at] == '(') ++depth;
    if ((code[at] == '}' || code[at] == ')') && --depth == 0) return at;
  }
  return at;
}

std::size_t skip_blanks(const std::string& code, std::size_t at) {
  return std::min(code.find_first_not_of(" \n", at), code.size());
}

/// The names of the values that stand after a key: {{"name", …}, …}. None where they cannot be seen there.
std::optional<std::vector<std::string>> names_after(const Source& source, const Literal& key) {
  const std::string& code = source.code;
  std::size_t at = key.end;
  // To the end of the argument, which may be a choice between keys.
  while (at < code.size() && std::string(",;(){}").find(code[at]) == std::string::npos) {
    at = code[at] == '"' ? end_of_quotes(code, at) : at + 1;
  }
  if (code[at] == ')') {
    const std::string before = code.substr(0, key.begin);
    const bool alone = before.ends_with("Words(") || before.ends_with("notes.emplace_back(");
    return alone ? std::optional(std::vector<std::string>()) : std::nullopt;
  }
  if (code[at] != ',') return std::nullopt;
  at = skip_blanks(code, at + 1);
  if (code[at] != '{') return std::nullopt;
  std::vector<std::string> names;
  for (at = skip_blanks(code, at + 1); code[at] != '}'; at = skip_blanks(code, at)) {
    const std::size_t name = skip_blanks(code, at + 1);
    if (code[at] != '{' || code[name] != '"') return std::nullopt;
    names.push_back(code.substr(name + 1, end_of_quotes(code, name) - name - 2));
    at = skip_blanks(code, end_of_bracket(code, at) + 1);
    if (code[at] == ',') ++at;
  }
  return names;
}

const Text& load_english_words() {
  static const Text text = Text::load(source_folder() + "/assets");
  return text;
}

/// Whether it says who wrote what: the same in every language.
bool cites(const Source& source, const Literal& literal) {
  static const std::regex pattern("\\.source =\\s*(\"[^\"]*\"\\s*)*$");
  const std::size_t begin = literal.begin < 400 ? 0 : literal.begin - 400;
  return std::regex_search(source.code.substr(begin, literal.begin - begin), pattern);
}

/// The key of a field: its words stand with those of its field or option.
bool is_field(const std::string& text) {
  return load_english_words().has("field." + text + ".label") || load_english_words().has("field." + text + ".option");
}

/// The key that a literal means: an error's may leave "error." out. Empty: none.
std::string key_of(const std::string& literal) {
  for (const std::string& key : {literal, "error." + literal}) {
    if (load_english_words().has(key)) return key;
  }
  return {};
}

/// The text with a number in place of each name.
std::string filled(const std::string& key, const std::vector<std::string>& names, int number) {
  Message words{key};
  for (const std::string& name : names) words.values.emplace_back(name, number);
  return load_english_words().render(words);
}

/// Every place in the text has a value.
void expect_places_filled(const std::string& file, const std::string& key, const std::vector<std::string>& names) {
  for (const int number : {1, 2}) {
    EXPECT_EQ(filled(key, names, number).find('{'), std::string::npos)
        << file << ": " << key << " has a place that nothing is given for: " << filled(key, names, number);
  }
}

/// Every value has a place in the text.
void expect_values_said(const std::string& file, const std::string& key, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::vector<std::string> others = names;
    std::erase(others, name);
    const std::string left = "{" + name;
    const bool used = filled(key, others, 2).find(left) != std::string::npos;
    EXPECT_TRUE(used) << file << ": " << key << " says nothing of " << name;
  }
}

}  // namespace

TEST(Message, TheReaderOfSourcesSeesWhatItMust) {
  Source source;
  source.code =
      "#include \"no one\"\n// \"not this\"\nx('\"', 1'0, R\"({\"a b\"})\");\n"
      "InputError(c ? \"a.b\" : \"c.d\", {{\"n\", f(\"x\")}, {\"m\", Words(\"y.z\")}});";
  source.literals = literals_of(source.code);
  std::vector<std::string> texts;
  for (const Literal& literal : source.literals) texts.push_back(literal.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"a.b", "c.d", "n", "x", "m", "y.z"}));
  const std::vector<std::string> names = {"n", "m"};
  EXPECT_EQ(names_after(source, source.literals[0]), names);
  EXPECT_EQ(names_after(source, source.literals[1]), names);
  EXPECT_EQ(names_after(source, source.literals[5]), std::vector<std::string>());
  EXPECT_EQ(names_after(source, source.literals[3]), std::nullopt);
  EXPECT_TRUE(looks_english("is missing") && looks_english(" bytes") && looks_english("found: ab"));
  EXPECT_FALSE(looks_english("rope_theta") || looks_english(", ") || looks_english(" * ") || looks_english("npz.lies"));
}

TEST(Message, CoreSpeaksNoSentences) {
  // Names that are the same in every language: of models, of options, and of profiles as --profile takes them.
  const std::set<std::string> names = {"native weights (params.json)",
                                       "half-split by axis",
                                       "full attention",
                                       "sliding attention",
                                       "compressed attention",
                                       "linear attention",
                                       "base ",
                                       "\\n<metadata id=\\\"",
                                       "GCC ivdep",
                                       "clang loop vectorize(assume_safety)",
                                       "sin ",
                                       "cos "};
  // These write names, or programs in Python.
  const std::set<std::string> files_of_names = {"core/formats/families/config_families.cpp",
                                                "core/formats/programs/check_fix.cpp",
                                                "core/formats/programs/numpy.cpp", "core/formats/dumps/pickle.cpp"};
  for (const Source& source : sources_of("core")) {
    if (files_of_names.contains(source.file)) continue;
    for (const Literal& literal : source.literals) {
      if (cites(source, literal)) continue;
      EXPECT_TRUE(!looks_english(literal.text) || names.contains(literal.text))
          << source.file << ": \"" << literal.text << "\" is a text for people; a key was expected";
    }
  }
}

TEST(Message, HelpAndNoticesHaveKeys) {
  const std::regex call("(arguments\\.[a-z]+|print_notices?|cancelled)\\(");
  int calls = 0;
  for (const Source& source : sources_of("app/commands")) {
    for (std::sregex_iterator found(source.code.begin(), source.code.end(), call), end; found != end;
         ++found, ++calls) {
      const auto begin = static_cast<std::size_t>(found->position() + found->length() - 1);
      const std::size_t close = end_of_bracket(source.code, begin);
      for (const Literal& literal : source.literals) {
        if (literal.begin < begin || literal.end > close) continue;
        EXPECT_FALSE(looks_english(literal.text))
            << source.file << ": \"" << literal.text << "\" is a text for people; a key was expected";
      }
    }
  }
  EXPECT_GT(calls, 200);
}

TEST(Message, ErrorsOfTheSystemHaveKeys) {
  for (const char* folder : {"core", "app"}) {
    for (const Source& source : sources_of(folder)) {
      for (const char* english_words : {"strerror", ".message()"}) {
        EXPECT_EQ(source.code.find(english_words), std::string::npos)
            << source.file << ": " << english_words << " speaks English; reason() of app/resources was expected";
      }
    }
  }
}

/// A key of a GGUF's metadata, in the sources that read it.
bool is_of_gguf(const Source& source, const std::string& text) {
  static const std::regex pattern("(general|split|rope|attention|rope_[a-z_]*)\\..*");
  const bool reads = source.file == "core/formats/weights.cpp" ||
                     (source.file.starts_with("core/formats/") && source.file.find("/gguf") != std::string::npos);
  return reads && std::regex_match(text, pattern);
}

/// A name of a trained matrix, as files of weights spell it.
bool is_of_weights(const Source& source, const std::string& text) {
  if (source.file == "core/formats/families/weight_names.cpp") return true;
  return source.file == "core/training/parameters.cpp" && (text.ends_with(".weight") || text.ends_with(".bias"));
}

TEST(Message, EveryKeyOfCoreHasAText) {
  // Names of layouts, of values of a profile, and of a file.
  const std::set<std::string> others = {"flux.1",
                                        "flux.1-kontext",
                                        "flux.2",
                                        "qwen2.5-omni",
                                        "extension.factor",
                                        "extension.attention_factor",
                                        "extension.mscale_all_dim",
                                        "extension.live_fraction",
                                        "data.pkl",
                                        "llama.cpp",
                                        "rotary_emb.inv_freq",
                                        "numpy.org",
                                        "torch._utils._rebuild_tensor_v2",
                                        "torch._utils._rebuild_parameter"};
  for (const Source& source : sources_of("core")) {
    for (const Literal& literal : source.literals) {
      const bool known = !looks_like_key(literal.text) || !key_of(literal.text).empty() || is_field(literal.text) ||
                         others.contains(literal.text) || is_of_gguf(source, literal.text) ||
                         is_of_weights(source, literal.text);
      EXPECT_TRUE(known) << source.file << ": " << literal.text << " is missing in en.json";
    }
  }
}

TEST(Message, EveryErrorIsThrownSomewhere) {
  std::set<std::string> used;
  for (const char* folder : {"core", "app"}) {
    for (const Source& source : sources_of(folder)) {
      for (const Literal& literal : source.literals) used.insert(literal.text);
    }
  }
  for (const auto& [key, text] : load_english_words().all()) {
    if (!key.starts_with("error.")) continue;
    const std::string short_key = key.substr(std::string("error.").size());
    EXPECT_TRUE(used.contains(key) || used.contains(short_key)) << key << " is said by nobody";
    EXPECT_FALSE(load_english_words().has(short_key)) << short_key << " could mean either";
  }
}

TEST(Message, TextsHavePlacesForWhatIsGiven) {
  int seen = 0;
  for (const char* folder : {"core", "app"}) {
    for (const Source& source : sources_of(folder)) {
      for (const Literal& literal : source.literals) {
        const std::string key = looks_like_key(literal.text) ? key_of(literal.text) : "";
        const auto names = key.empty() ? std::nullopt : names_after(source, literal);
        if (!names) continue;
        // The evidence of a check gets its values one after another, and a choice of texts shares them.
        if (source.file.starts_with("core/check/")) continue;
        expect_places_filled(source.file, key, *names);
        // In app several texts are chosen from, and each says what it needs of the same values.
        if (source.file.starts_with("core/")) expect_values_said(source.file, key, *names);
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 300);
}

}  // namespace ropescope
