#include "app/resources/reported.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/resources/files.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

constexpr std::size_t kMost = 64;  ///< tables, rows, columns

template <class T>
T needed(const Section& section, const char* key, const std::optional<Read<T>>& found) {
  if (!found) section.reject(key, Words("expected.value"));
  return found->value;
}

/// The objects of a list.
std::vector<Section> sections(const Section& parent, const char* key) {
  const nlohmann::json* list = parent.find(key);
  const auto is_object = [](const nlohmann::json& each) { return each.is_object(); };
  const bool usable = list && list->is_array() && !list->empty() && list->size() <= kMost &&
                      std::all_of(list->begin(), list->end(), is_object);
  if (!usable) parent.reject(key, {"expected.objects", {{"most", kMost}}});
  std::vector<Section> found;
  for (const nlohmann::json& each : *list) found.push_back({&each, parent.field(key), parent.source});
  return found;
}

std::vector<std::string> texts(const Section& section, const char* key) {
  const nlohmann::json* list = section.find(key);
  const auto is_text = [](const nlohmann::json& each) { return each.is_string(); };
  if (!list || !list->is_array() || !std::all_of(list->begin(), list->end(), is_text)) {
    section.reject(key, Words("expected.texts"));
  }
  return list->get<std::vector<std::string>>();
}

ReportedTable read_table(const Section& section) {
  ReportedTable table;
  table.name = needed(section, "name", section.text("name"));
  table.number = needed(section, "number", section.whole("number"));
  table.decimals = needed(section, "decimals", section.whole("decimals"));
  table.columns = texts(section, "columns");
  for (const Section& each : sections(section, "rows")) {
    ReportedTable::Row row;
    row.name = needed(each, "name", each.text("name"));
    row.role = needed(each, "role", each.text("role"));
    if (const auto other = each.flag("other_set")) row.other_set = other->value;
    row.values = needed(each, "values", each.numbers("values"));
    if (row.values.size() != table.columns.size()) each.reject("values", Words("expected.numbers"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportedPaper read_paper(const Section& root) {
  ReportedPaper paper;
  paper.paper = needed(root, "paper", root.text("paper"));
  paper.source = needed(root, "source", root.text("source"));
  for (const Section& each : sections(root, "tables")) paper.tables.push_back(read_table(each));
  const auto stages = root.section("pretraining");
  if (!stages) root.reject("pretraining", Words("expected.object"));
  paper.stages_number = needed(*stages, "number", stages->whole("number"));
  const std::vector<double> longest = needed(*stages, "longest", stages->numbers("longest"));
  if (longest.empty()) stages->reject("longest", Words("expected.numbers"));
  paper.longest_stage = static_cast<int>(*std::max_element(longest.begin(), longest.end()));
  return paper;
}

}  // namespace

const ReportedTable::Row* ReportedTable::row(const std::string& role) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.role == role; });
  return found == rows.end() ? nullptr : &*found;
}

const ReportedTable& ReportedPaper::table(const std::string& name) const {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const auto& table) { return table.name == name; });
  if (found != tables.end()) return *found;
  throw InputError("reported.no_table", {{"name", name}});
}

ReportedPaper load_reported(const std::filesystem::path& assets) {
  const std::filesystem::path path = assets / "reported" / "roformer.json";
  const std::string content = read_file(path, kLargestJsonBytes);
  const nlohmann::json json = parse_json_object(content, path.string());
  return read_paper({&json, {}, as_it_is(path.string())});
}

}  // namespace ropescope
