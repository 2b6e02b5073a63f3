// Configs and what is read from them: the rows of tests/reference/configs. A row has a config (on top of one that many
// rows start with), its text, the values of a GGUF, or a file of the shared folder, and says what must be read or
// refused.

#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/formats/families/gguf_config.h"
#include "core/scaling/scaling.h"
#include "tests/unit/format_files.h"
#include "tests/unit/gguf_rows.h"
#include "tests/unit/reference_data.h"
#include "tests/unit/says.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

/// The rows of one law of a table.
struct ConfigRows {
  std::string table;
  json starts, test;
};

void PrintTo(const ConfigRows& rows, std::ostream* out) {
  *out << rows.table << ": " << rows.test["test"];
}

std::vector<ConfigRows> all_config_rows() {
  std::vector<ConfigRows> all;
  for (const std::string table : {"spelling", "classes", "errors", "layouts", "witness", "gguf", "published"}) {
    const json file = read_reference("configs/" + table + ".json");
    for (const json& test : file["tests"]) {
      all.push_back({table, file["starts"], test});
      all.back().starts.update(test.value("starts", json::object()));
    }
  }
  return all;
}

template <class T>
json value_or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}
json name_of(const std::optional<Pairing>& pairing) {
  return pairing ? json(*pairing == Pairing::half_split ? "half" : "interleaved") : json();
}
json name_of(const Extension& extension) {
  json all = {extension.method, json(extension.numbers)};
  if (!extension.lists.empty()) all.push_back(extension.lists);
  return all;
}
json origins_of(const Profile& profile) {
  json all;
  for (const auto& [name, words] : profile.origin) all[name] = said(words);
  return all;
}
template <class Of>
json each_axis(const Profile& profile, Of RotaryAxis::*member) {
  json all = json::array();
  for (const RotaryAxis& axis : profile.spec.axes) all.push_back(axis.*member);
  return all;
}
/// The names of fields that look rotary and are not read, in the order of their notes.
std::string unread_fields(const Message::List& notes) {
  std::string names;
  for (const Message& words : notes) {
    if (words.key != "config_note.unread") continue;
    const std::string note = said(words);
    const std::size_t from = note.find('"') + 1;
    names += (names.empty() ? "" : " ") + note.substr(from, note.find('"', from) - from);
  }
  return names;
}

using ReadProfile = std::function<json(const Profile&)>;
const std::map<std::string, ReadProfile> kProfileValues = {
    {"name", [](const Profile& of) { return of.name; }},
    {"head_dim", [](const Profile& of) { return of.spec.head_dim; }},
    {"rotary_dim", [](const Profile& of) { return of.spec.axes.at(0).rotary_dim; }},
    {"total_rotary_dim", [](const Profile& of) { return total_rotary_dim(of.spec); }},
    {"base", [](const Profile& of) { return of.spec.axes.at(0).base; }},
    {"axis_names", [](const Profile& of) { return each_axis(of, &RotaryAxis::name); }},
    {"axis_dims", [](const Profile& of) { return each_axis(of, &RotaryAxis::rotary_dim); }},
    {"axis_bases", [](const Profile& of) { return each_axis(of, &RotaryAxis::base); }},
    {"own_amplitude", [](const Profile& of) { return of.spec.amplitude; }},
    {"pairing", [](const Profile& of) { return name_of(of.spec.pairing); }},
    {"method", [](const Profile& of) { return of.spec.extension.method; }},
    {"extension", [](const Profile& of) { return name_of(of.spec.extension); }},
    {"numbers", [](const Profile& of) { return json(of.spec.extension.numbers); }},
    {"lists", [](const Profile& of) { return json(of.spec.extension.lists); }},
    {"trained_length", [](const Profile& of) { return value_or_null(of.spec.trained_length); }},
    {"context_length", [](const Profile& of) { return value_or_null(of.context_length); }},
    {"origin", origins_of},
    {"permuted", [](const Profile& of) { return of.permuted; }},
    {"not_understood", [](const Profile& of) { return of.not_understood.size(); }},
    {"pairs", [](const Profile& of) { return head_ladder(of.spec).frequencies.size(); }},
};

using ReadLayout = std::function<json(const LayoutConfig&)>;
const std::map<std::string, ReadLayout> kLayoutValues = {
    {"layout", [](const LayoutConfig& of) { return of.layout; }},
    {"head_dim", [](const LayoutConfig& of) { return value_or_null(of.request.head_dim); }},
    {"base", [](const LayoutConfig& of) { return value_or_null(of.request.base); }},
    {"patch", [](const LayoutConfig& of) { return value_or_null(of.request.patch); }},
    {"pairing", [](const LayoutConfig& of) { return name_of(of.request.pairing); }},
    {"axis_dims", [](const LayoutConfig& of) { return of.request.axis_dims; }},
    {"position_grid", [](const LayoutConfig& of) { return of.request.position_grid; }},
    {"sections", [](const LayoutConfig& of) { return of.request.sections; }},
    {"tokens_per_second", [](const LayoutConfig& of) { return value_or_null(of.request.tokens_per_second); }},
    {"numbers", [](const LayoutConfig& of) { return json(of.request.numbers); }},
};

/// A value as expected; of an object the entries that are expected, null where there must be none.
void expect_value(const std::string& name, const json& found, const json& expected) {
  if (!expected.is_object() || expected.empty()) {
    EXPECT_EQ(found, expected) << name;
    return;
  }
  for (const auto& [entry, value] : expected.items()) {
    const json words = value.is_object() ? json(said(message_of(value))) : value;
    EXPECT_EQ(found.value(entry, json()), words) << name << "." << entry;
  }
}

using NoteMatchers = std::vector<testing::Matcher<const std::string&>>;
NoteMatchers each_says(const json& expected) {
  NoteMatchers all;
  for (const json& one : expected) all.push_back(says(one));
  return all;
}
void expect_all_said(const Message::List& notes, const json& expected) {
  if (expected.empty()) EXPECT_THAT(said(notes), IsEmpty());
  EXPECT_THAT(said(notes), testing::AllOfArray([&] {
                std::vector<testing::Matcher<std::vector<std::string>>> all;
                for (const auto& one : each_says(expected)) all.push_back(Contains(one));
                return all;
              }()));
}

void expect_ladder(const Profile& profile, const json& frequencies, double within) {
  const HeadLadder ladder = head_ladder(profile.spec);
  for (const auto& [pair, frequency] : frequencies.items())
    EXPECT_NEAR(ladder.frequencies[std::stol(pair)] / frequency.get<double>(), 1, within) << "pair " << pair;
}

/// All that a row says of one profile; `within`: the relative tolerance of frequencies.
void expect_config_profile(const Profile& profile, const json& expected, double within) {
  SCOPED_TRACE(profile.name);
  const std::map<std::string, std::function<void(const json&)>> more = {
      {"frequencies", [&](const json& numbers) { expect_ladder(profile, numbers, within); }},
      {"amplitude",
       [&](const json& number) {
         EXPECT_NEAR(head_ladder(profile.spec).amplitude, number.get<double>(), number == 1 ? 0 : 1e-15);
       }},
      {"notes", [&](const json& texts) { expect_all_said(profile.notes, texts); }},
      {"limiting", [&](const json& texts) { expect_all_said(notes_limiting_verdict(profile), texts); }},
      {"only", [&](const json& texts) { EXPECT_THAT(said(profile.notes), ElementsAreArray(each_says(texts))); }},
      {"no_note", [&](const json& texts) {
         for (const auto& text : each_says(texts)) EXPECT_THAT(said(profile.notes), Not(Contains(text)));
       }}};
  for (const auto& [name, value] : expected.items()) {
    if (const auto found = more.find(name); found != more.end()) {
      found->second(value);
    } else {
      expect_value(name, kProfileValues.at(name)(profile), value);
    }
  }
}

/// A refusal names the file first and stays on one line, for people and for logs.
void expect_config_refusal(const std::function<void()>& read, const json& expected) {
  std::string refusal;
  try {
    read();
  } catch (const InputError& error) {
    refusal = said(error);
    EXPECT_THAT(refusal, StartsWith("config.json"));
    EXPECT_THAT(refusal + error.what(), Not(HasSubstr("\n")));
  }
  EXPECT_THAT(refusal, says(expected));
}

/// What a model has instead of a rotary embedding; "" where it has one, or where the file is of no use.
std::string answer_instead(const std::string& text) {
  try {
    parse_model_config(text, "config.json");
  } catch (const NoRotaryEmbedding& found) {
    return said(found.answer);
  } catch (const InputError&) {
  }
  return "";
}

void expect_config_layout(const std::string& text, const json& expected) {
  if (expected.is_null()) {
    EXPECT_FALSE(find_layout_config(text, "config.json"));
    return;
  }
  const LayoutConfig config = parse_layout_config(text, "config.json");
  for (const auto& [name, value] : expected.items()) {
    if (name == "only") {
      EXPECT_THAT(said(config.notes), ElementsAreArray(each_says(value)));
    } else {
      expect_value(name, kLayoutValues.at(name)(config), value);
    }
  }
}

ModelConfig parse_written_gguf(const json& values) {
  const std::string content = gguf_of(values).file();
  const GgufFile file = read_gguf(bytes_of(content), "config.json");
  return parse_gguf_config({&file, 1});
}

/// Takes the config out of a row: its text, or an object, which may begin with one that many rows start with.
json config_of_row(const json& starts, json& row) {
  const auto take = [&](const std::string& name) {
    const json config = row[name];
    row.erase(name);
    return config;
  };
  if (row.contains("text")) return take("text");
  for (const auto& [name, start] : starts.items()) {
    if (!row.contains(name)) continue;
    json config = start;
    config.update(take(name));
    return config;
  }
  return take("config");
}

void expect_config_row(const ConfigRows& rows, json row) {
  json written;
  if (row.contains("file")) {
    const fs::path file = shared_configs() / row["file"].get<std::string>();
    ASSERT_TRUE(fs::exists(file)) << file;
    written = read_file(file);
    row.erase("file");
  } else {
    written = config_of_row(rows.starts, row);
  }
  const std::string text = written.is_string() ? written.get<std::string>() : written.dump();
  SCOPED_TRACE(text.substr(0, 400));
  ASSERT_FALSE(row.empty()) << "nothing is expected";
  const auto parse = [&] {
    return rows.table == "gguf" ? parse_written_gguf(written) : parse_model_config(text, "config.json");
  };
  // Taken out of the row; what is left is of the first profile.
  const auto take = [&](const char* name, const std::function<void(const json&)>& expect) {
    if (!row.contains(name)) return;
    expect(row[name]);
    row.erase(name);
  };
  take("refused", [&](const json& expected) { expect_config_refusal(parse, expected); });
  take("layout_refused", [&](const json& expected) {
    expect_config_refusal([&] { parse_layout_config(text, "config.json"); }, expected);
  });
  take("layout", [&](const json& expected) { expect_config_layout(text, expected); });
  take("answer", [&](const json& expected) { EXPECT_THAT(answer_instead(text), says(expected)); });
  if (row.empty()) return;
  const ModelConfig config = parse();
  take("model_type", [&](const json& expected) { EXPECT_EQ(config.model_type, expected.get<std::string>()); });
  const Profile& first = config.profiles.at(0);
  Message::List notes;
  for (const Profile& profile : config.profiles) notes.insert(notes.end(), profile.notes.begin(), profile.notes.end());
  take("notes_of_all", [&](const json& expected) { expect_all_said(notes, expected); });
  take("unread", [&](const json& expected) { EXPECT_EQ(unread_fields(notes), expected.get<std::string>()); });
  take("doubt", [&](const json& expected) {
    expect_config_refusal([&] { require_known_extension(first, "config.json"); }, expected);
  });
  take("unrotated", [&](const json& expected) {
    const auto unrotated = [](const Message& note) {
      return note.key == "config_note.unrotated" || note.key == "config_note.one_unrotated_in_of";
    };
    const auto note = std::ranges::find_if(first.notes, unrotated);
    EXPECT_THAT(note == first.notes.end() ? std::string() : said(*note), says(expected));
  });
  const double within = rows.test.value("within", 1e-8);
  take("profiles", [&](const json& expected) {
    ASSERT_EQ(config.profiles.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expect_config_profile(config.profiles[i], expected[i], within);
  });
  expect_config_profile(first, row, within);
}

class ConfigRowsTest : public ::testing::TestWithParam<ConfigRows> {};

TEST_P(ConfigRowsTest, AreReadAsTheTableSays) {
  const json& rows = GetParam().test["rows"];
  const auto is_shared = [](const json& row) { return row.contains("file"); };
  if (std::any_of(rows.begin(), rows.end(), is_shared) && !fs::exists(shared_configs())) {
    GTEST_SKIP() << shared_configs() << " is not here";
  }
  for (const json& row : rows) expect_config_row(GetParam(), row);
}

INSTANTIATE_TEST_SUITE_P(Written, ConfigRowsTest, ::testing::ValuesIn(all_config_rows()), [](const auto& entry) {
  return entry.param.table + "_" + entry.param.test["test"].template get<std::string>();
});

}  // namespace
}  // namespace ropescope
