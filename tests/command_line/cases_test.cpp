// Commands and what they print: the cases of tests/reference/commands, a file for each group of commands. A case has a
// name in brackets and an empty folder of its own; its lines are executed in order:
//
//   $ ARGUMENTS                 runs ropescope, expecting exit code 0 (1$: that code; ?$: any)
//   ! ARGUMENTS => PARTS        expects an input error (Workplace::bad): exit code 2, all parts on its one line
//   write FILE TEXT             (TEXT in double quotes: a string of JSON)
//   folder PATH, remove PATH, link PATH TARGET, age PATH HOURS, env NAME=VALUE
//   tables base=500000          writes cos.npy and sin.npy of a plain ladder
//   array FILE.npy FORMAT 3x8 NUMBERS  (ramp, all 5, noise SEED or numbers, then INDEX=NUMBER for others)
//   npz FILE q=FILE.npy …       packs arrays; cut FILE FROM 300: the first bytes of another file
//   keep NAME SUBJECT           for a later =NAME
//   SUBJECT [PART] VERB [VALUE] checks something
//
// SUBJECT: out or err of the last run, out#2 of the second one, file:NAME, =NAME of what was kept, files: how many.
// PART: at /POINTER or json (all of it), row 1, cell 1 2 and rows (of CSV, from 0 on), lines, dump, size. VALUE: JSON
// or a SUBJECT with its PART. Words are separated by blanks, 'like this' where they contain one. In words and texts
// @{KEY} is the longest fixed part of a text of assets/text, @{KEY name=value} all of it, @{source} the repository,
// @{place} the folder of the case, @{value SUBJECT PART} from an earlier output, @{byte C3} a byte, @{repeat 9 x} many.
//
// Only `exists` and `missing` (of file:NAME) accept a missing file. An unknown step or an unused word fails
// and names its line.

#include "tests/command_line/check_tables.h"
#include "tests/said.h"
#include "tests/unit/zip_files.h"

namespace ropescope {
namespace {

/// A file with its numbers of cases and runs, so that none is lost unnoticed.
struct CaseFile {
  const char* name;
  int cases, runs;
};
constexpr CaseFile kCaseFiles[] = {
    {"animate", 4, 50},      {"attention", 5, 45},  {"check", 10, 43},     {"check_evidence", 11, 24},
    {"check_files", 2, 19},  {"check_watch", 1, 1}, {"compare", 15, 62},   {"config_layout", 6, 19},
    {"decay", 4, 23},        {"encoding", 9, 45},   {"facets", 7, 23},     {"figure_file", 2, 13},
    {"frequencies", 9, 29},  {"handbook", 3, 6},    {"help", 2, 11},       {"hostile_inputs", 3, 23},
    {"layout", 9, 48},       {"lessons", 12, 37},   {"limits", 12, 52},    {"manual", 1, 1},
    {"model_names", 14, 26}, {"own_data", 6, 46},   {"precision", 4, 9},   {"program", 17, 131},
    {"race", 2, 27},         {"render", 14, 110},   {"rotate", 2, 16},     {"scaling", 8, 70},
    {"score", 5, 35},        {"screenshot", 1, 11}, {"similarity", 2, 18}, {"sweep", 4, 45},
    {"weights", 1, 5},
};

std::string rest_of(std::istringstream& line) {
  std::string rest;
  std::getline(line >> std::ws, rest);
  return rest;
}

double number_of(const json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}
/// Returns the first word of a line, and the rest.
std::pair<std::string, std::string> parted(const std::string& line) {
  const std::size_t end = line.find(' ');
  if (end == std::string::npos) throw std::runtime_error("nothing after: " + line);
  return {line.substr(0, end), line.substr(end + 1)};
}
/// Truncates a text for the message of a failure.
std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 400;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}
std::string shortened(const json& value) {
  return shortened(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Returns the text to search for. Throws if it is empty, because every text contains an empty one.
std::string part_in(const json& value) {
  const auto part = value.get<std::string>();
  if (part.empty()) throw std::runtime_error("every text has an empty part");
  return part;
}
bool contains_text(const json& value, const json& part) {
  return value.get<std::string>().find(part_in(part)) != std::string::npos;
}
bool says_text(const json& value, const std::string& words) {
  std::istringstream line(words);
  std::string key;
  line >> key;
  const std::string values = rest_of(line);
  return testing::Matches(Says(key, values.empty() ? TextValues() : json::parse(values).get<TextValues>()))(
      value.get<std::string>());
}

bool has_key(const json& value, const json& key) {
  if (!value.is_object()) throw std::runtime_error("no object: " + shortened(value));
  return value.contains(key.get<std::string>());
}

/// Compares a cell of a table with a number by value.
bool is_same(const json& found, const json& due) {
  return found.is_string() && due.is_number() ? number_of(found) == number_of(due) : found == due;
}

/// Checks that compare two values.
const std::map<std::string, bool (*)(const json&, const json&)> kVerbs = {
    {"is", is_same},
    {"isnt", [](const json& found, const json& due) { return !found.is_null() && !is_same(found, due); }},
    {"has", contains_text},
    {"lacks", [](const json& found, const json& part) { return !contains_text(found, part); }},
    {"begins", [](const json& found, const json& part) { return found.get<std::string>().starts_with(part_in(part)); }},
    {"ends", [](const json& found, const json& part) { return found.get<std::string>().ends_with(part_in(part)); }},
    {"over", [](const json& found, const json& limit) { return number_of(found) > number_of(limit); }},
    {"under", [](const json& found, const json& limit) { return number_of(found) < number_of(limit); }},
    {"from", [](const json& found, const json& limit) { return number_of(found) >= number_of(limit); }},
    {"upto", [](const json& found, const json& limit) { return number_of(found) <= number_of(limit); }},
    {"contains", has_key},
    {"misses", [](const json& found, const json& key) { return !has_key(found, key); }},
};
/// Checks whose right side is not a JSON value.
const std::map<std::string, bool (*)(const json&, const std::string&)> kOtherVerbs = {
    {"says", says_text},
    {"unsaid", [](const json& found, const std::string& words) { return !says_text(found, words); }},
    {"type", [](const json& found, const std::string& type) { return found.type_name() == type; }},
};

const std::map<std::string, NumberFormat> kFormats = {{"float64", NumberFormat::float64},
                                                      {"float32", NumberFormat::float32},
                                                      {"float16", NumberFormat::float16},
                                                      {"int32", NumberFormat::int32}};

class CommandCase {
 public:
  int runs = 0;

  void step(const std::string& text) {
    std::istringstream line(text);
    std::string first;
    line >> first;
    const auto known = kSteps.find(first);
    if (known != kSteps.end()) return (this->*known->second)(rest_of(line));
    if (first.ends_with('$')) return run(first, rest_of(line));
    check(text);
  }

 private:
  /// Returns a text with each "@{…}" replaced.
  std::string filled(const std::string& text) const {
    const std::size_t begin = text.find("@{");
    if (begin == std::string::npos) return text;
    const std::size_t end = text.find('}', begin);
    return text.substr(0, begin) + meaning_of(text.substr(begin + 2, end - begin - 2)) + filled(text.substr(end + 1));
  }
  std::string meaning_of(const std::string& inside) const {
    std::istringstream line(inside);
    std::string key;
    line >> key;
    if (key == "value") return value_of(rest_of(line)).dump();
    const Words values{std::istream_iterator<std::string>(line), {}};
    if (key == "source") return source_folder();
    if (key == "place") return place_.path("x").parent_path().string();
    if (key == "byte") return std::string(1, static_cast<char>(std::stoi(values.at(0), nullptr, 16)));
    std::string copies;
    if (key == "repeat") {
      for (int i = std::stoi(values.at(0)); i > 0; --i) copies += values.at(1);
      return copies;
    }
    if (values.empty()) return part_of(key);
    Message message(key);
    for (const std::string& value : values) {
      const std::size_t equals = value.find('=');
      message.values.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    }
    return said(message);
  }
  /// Returns the words before "=>", and those after it.
  std::pair<Words, Words> words_of(const std::string& line) const {
    std::pair<Words, Words> words;
    Words* into = &words.first;
    for (std::size_t at = 0; (at = line.find_first_not_of(' ', at)) != std::string::npos;) {
      const char first = line[at];
      std::size_t end = at;
      if (first == '\'' || first == '"') {
        end = line.find(first, ++at);
        if (end == std::string::npos) throw std::runtime_error("an open quote");
        into->push_back(filled(line.substr(at, end - at)));
        at = end + 1;
        continue;
      }
      for (bool inside = false; end < line.size() && (inside || line[end] != ' '); ++end) {
        inside = line.compare(end, 2, "@{") == 0 || (inside && line[end] != '}');
      }
      const std::string word = line.substr(at, end - at);
      at = end;
      if (word == "=>") {
        into = &words.second;
      } else {
        into->push_back(filled(word));
      }
    }
    return words;
  }

  void run(const std::string& expected, const std::string& line) {
    const auto [arguments, parts] = words_of(line);
    if (!parts.empty()) throw std::runtime_error("only ! expects parts after =>");
    outcomes_.push_back(place_.run(arguments));
    ++runs;
    if (expected != "?$") {
      EXPECT_EQ(outcomes_.back().exit_code, expected == "$" ? 0 : std::stoi(expected)) << outcomes_.back().errors;
    }
  }
  void refuse(const std::string& line) {
    const auto [arguments, parts] = words_of(line);
    if (parts.empty()) throw std::runtime_error("! expects parts after =>");
    outcomes_.push_back({2, "", place_.bad(arguments, parts)});
    ++runs;
  }
  void write(const std::string& line) {
    const auto [name, text] = parted(line);
    make_folder(fs::path(name).parent_path());
    place_.write(name, filled(text.starts_with('"') ? json::parse(text).get<std::string>() : text));
  }
  void write_array(const std::string& line) {
    std::istringstream words(line);
    std::string name, format, word;
    words >> name >> format >> word;
    Tensor tensor;
    tensor.format = kFormats.at(format);
    std::istringstream sides(word);
    std::size_t count = 1;
    for (std::string side; std::getline(sides, side, 'x');) {
      tensor.shape.push_back(std::stoll(side));
      count *= std::stoul(side);
    }
    while (words >> word) {
      const std::size_t equals = word.find('=');
      if (word == "ramp") {
        for (std::size_t i = 0; i < count; ++i) tensor.values.push_back(static_cast<double>(i % 17) / 16);
      } else if (word == "all") {
        words >> word;
        tensor.values.assign(count, std::stod(word));
      } else if (word == "noise") {
        std::uint32_t seed = 0;
        words >> seed;
        for (std::size_t i = 0; i < count; ++i) {
          seed = seed * 1664525U + 1013904223U;
          tensor.values.push_back(static_cast<double>(seed >> 8) / (1 << 23) - 1);
        }
      } else if (equals != std::string::npos) {
        tensor.values.at(std::stoul(word)) = std::stod(word.substr(equals + 1));
      } else {
        tensor.values.push_back(std::stod(word));
      }
    }
    EXPECT_EQ(tensor.values.size(), count);
    const std::vector<std::byte> bytes = write_npy(tensor);
    place_.write(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  void write_npz(const std::string& line) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<std::pair<std::string, std::string>> arrays;
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      arrays.emplace_back(word.substr(0, equals) + ".npy", place_.read(word.substr(equals + 1)));
    }
    place_.write(name, zip_of(arrays));
  }
  void cut(const std::string& line) {
    std::istringstream words(line);
    std::string name, from;
    std::size_t size = 0;
    words >> name >> from >> size;
    if (!words || !(words >> std::ws).eof()) throw std::runtime_error("cut takes FILE FROM BYTES");
    place_.write(name, place_.read(from).substr(0, size));
  }
  void make_folder(const std::string& path) { fs::create_directories(place_.path(path)); }
  void remove(const std::string& path) { fs::remove(place_.path(path)); }
  void link(const std::string& line) {
    const auto [name, target] = parted(line);
    make_folder(fs::path(name).parent_path());
    fs::create_symlink(target, place_.path(name));
  }
  void set_age(const std::string& line) {
    const auto [name, age] = parted(line);
    const auto hours = std::chrono::hours(std::stoi(age));
    fs::last_write_time(place_.path(name), fs::file_time_type::clock::now() - hours);
  }
  void set_environment(const std::string& line) {
    const Words words = words_of(line).first;
    if (words.size() != 1 || words[0].find('=') == std::string::npos) throw std::runtime_error("env takes NAME=VALUE");
    place_.set_environment(words[0]);
  }
  void keep(const std::string& line) {
    const auto [name, subject] = parted(line);
    kept_[name] = text_of(subject).get<std::string>();
  }
  void write_plain_tables(const std::string& line) {
    PlainTable table;
    const std::map<std::string, double*> numbers = {{"base", &table.base}, {"offset", &table.offset}};
    const std::map<std::string, std::int64_t*> counts = {{"tokens", &table.tokens}, {"dim", &table.dim}};
    for (const std::string& word : words_of(line).first) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
      if (numbers.contains(name)) {
        *numbers.at(name) = std::stod(value);
      } else {
        *counts.at(name) = std::stoll(value);
      }
    }
    write_tables(place_, table);
  }

  /// Returns whether the file of "file:NAME" exists.
  bool exists(const std::string& subject) const {
    if (!subject.starts_with("file:")) throw std::runtime_error("no file: " + subject);
    return fs::exists(place_.path(subject.substr(5)));
  }
  json text_of(const std::string& subject) const {
    if (subject == "files") return place_.files().size();
    if (subject.starts_with("=")) return kept_.at(subject.substr(1));
    if (subject.starts_with("file:")) {
      if (!exists(subject)) throw std::runtime_error("no " + subject);
      return place_.read(subject.substr(5));
    }
    const std::size_t mark = std::min(subject.find('#'), subject.size());
    const std::size_t number = mark == subject.size() ? outcomes_.size() : std::stoul(subject.substr(mark + 1));
    const Outcome& outcome = outcomes_.at(number - 1);
    return std::map<std::string, std::string>{{"out", outcome.output}, {"err", outcome.errors}}.at(
        subject.substr(0, mark));
  }
  /// Reads a subject and its part; `next` becomes the word after them.
  json read_value(std::istringstream& line, std::string& next) const {
    std::string subject, word, column;
    line >> subject;
    json value = text_of(subject);
    const auto rows = [&] { return json(parse_csv(value.get<std::string>())); };
    const auto row = [&] {
      line >> word;
      const json all = rows();
      return word == "last" ? all.back() : all.at(std::stoul(word));
    };
    for (next.clear(); line >> next; next.clear()) {
      if (next == "at") {
        line >> word;
        value = json::parse(value.get<std::string>()).at(json::json_pointer(word));
      } else if (next == "json") {
        value = json::parse(value.get<std::string>());
      } else if (next == "row") {
        value = row();
      } else if (next == "cell") {
        const json cells = row();
        line >> column;
        value = cells.at(std::stoul(column));
      } else if (next == "rows") {
        value = rows().size();
      } else if (next == "lines") {
        const auto text = value.get<std::string>();
        value = std::count(text.begin(), text.end(), '\n');
      } else if (next == "dump") {
        value = value.dump();
      } else if (next == "size") {
        value = value.is_string() ? value.get<std::string>().size() : value.size();
      } else {
        break;
      }
    }
    return value;
  }
  json value_of(const std::string& text) const {
    const json value = json::parse(text, nullptr, false);
    if (value.is_string()) return filled(value.get<std::string>());
    if (!value.is_discarded()) return value;
    std::istringstream line(text);
    std::string next;
    json found = read_value(line, next);
    if (!next.empty()) throw std::runtime_error("unknown: " + next);
    return found;
  }
  void check(const std::string& text) {
    if (const auto [subject, verb] = parted(text); verb == "exists" || verb == "missing") {
      EXPECT_EQ(exists(subject), verb == "exists");
      return;
    }
    std::istringstream line(text);
    std::string verb;
    const json found = read_value(line, verb);
    const std::string rest = rest_of(line);
    bool holds = false;
    json due = rest;
    if (verb == "near") {
      const std::size_t blank = rest.rfind(' ');
      due = value_of(rest.substr(0, blank));
      holds = std::abs(number_of(found) - number_of(due)) <= std::stod(rest.substr(blank));
    } else if (kVerbs.contains(verb)) {
      due = value_of(rest);
      holds = kVerbs.at(verb)(found, due);
    } else if (kOtherVerbs.contains(verb)) {
      holds = kOtherVerbs.at(verb)(found, rest);
    } else {
      throw std::runtime_error("unknown: " + verb);
    }
    EXPECT_TRUE(holds) << "found: " << shortened(found) << "\n" << verb << ": " << shortened(due);
  }

  inline static const std::map<std::string, void (CommandCase::*)(const std::string&)> kSteps = {
      {"!", &CommandCase::refuse},
      {"write", &CommandCase::write},
      {"folder", &CommandCase::make_folder},
      {"remove", &CommandCase::remove},
      {"env", &CommandCase::set_environment},
      {"keep", &CommandCase::keep},
      {"tables", &CommandCase::write_plain_tables},
      {"link", &CommandCase::link},
      {"array", &CommandCase::write_array},
      {"npz", &CommandCase::write_npz},
      {"cut", &CommandCase::cut},
      {"age", &CommandCase::set_age},
  };

  Workplace place_;
  std::vector<Outcome> outcomes_;
  std::map<std::string, std::string> kept_;
};

class CommandCases : public testing::TestWithParam<CaseFile> {};

TEST_P(CommandCases, DoWhatTheirFileSays) {
  const fs::path path =
      fs::path(source_folder()) / "tests/reference/commands" / (std::string(GetParam().name) + ".txt");
  std::ifstream file(path);
  std::unique_ptr<CommandCase> one;
  std::string name;
  int cases = 0, runs = 0;
  const auto end_case = [&] {
    if (one) EXPECT_GT(one->runs, 0) << name;
    if (one) runs += one->runs;
    one.reset();
  };
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(path.filename().string() + ":" + std::to_string(number) + " " + name + "\n" + shortened(line));
    if (line[0] == '[') {
      end_case();
      name = line;
      one = std::make_unique<CommandCase>();
      ++cases;
      continue;
    }
    ASSERT_TRUE(one);
    try {
      one->step(line);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  end_case();
  EXPECT_EQ(cases, GetParam().cases);
  EXPECT_EQ(runs, GetParam().runs);
}

INSTANTIATE_TEST_SUITE_P(Files, CommandCases, testing::ValuesIn(kCaseFiles),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace ropescope
