#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/encoding_options.h"
#include "app/commands/npy_numbers.h"
#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "core/error.h"
#include "core/formats/npy_header.h"

namespace ropescope {

namespace {

constexpr std::size_t kEncodingMostPositions = 16'777'217;
/// A .npy then has 16 GiB.
constexpr std::size_t kEncodingMostCells = std::size_t{1} << 31;
/// Numbers whose text is held at a time.
constexpr std::size_t kEncodingPiece = std::size_t{1} << 17;

struct EncodingValues {
  std::string name;
  EncodingOptions encoding;
  std::optional<std::string> positions, output;
};

/// All parts of an encoding's values beside each other.
struct Columns {
  std::shared_ptr<const EncodingModel> model;
  std::vector<std::string> parts, names;

  /// Throws InputError where a value is not finite.
  TokenMatrix rows(std::span<const std::int64_t> places) const {
    TokenMatrix all(static_cast<Eigen::Index>(places.size()), static_cast<Eigen::Index>(names.size()));
    Eigen::Index first = 0;
    for (const std::string& part : parts) {
      const TokenMatrix values = model->values(part, places);
      all.middleCols(first, values.cols()) = values;
      first += values.cols();
    }
    if (!all.allFinite()) reject_row(all, places);
    return all;
  }

 private:
  [[noreturn]] void reject_row(const TokenMatrix& all, std::span<const std::int64_t> places) const {
    Eigen::Index row = 0, column = 0;
    while (all.row(row).allFinite()) ++row;
    while (std::isfinite(all(row, column))) ++column;
    throw InputError(std::string(model->encoding().name) + ": " + names[static_cast<std::size_t>(column)] + " at " +
                     std::to_string(places[static_cast<std::size_t>(row)]) +
                     " is too large for a number; --positions nearer to 0 were expected");
  }
};

Columns columns_of_encoding(const std::shared_ptr<const EncodingModel>& model) {
  Columns columns;
  columns.model = model;
  std::set<std::string> known;
  std::vector<std::string> full;
  for (const std::string_view part : model->encoding().value_parts) {
    columns.parts.emplace_back(part);
    for (const std::string& name : model->value_columns(part)) {
      known.insert(name);
      columns.names.push_back(name);
      full.push_back(std::string(part) + " " + name);
    }
  }
  // Parts with columns of the same names (Shaw's key and value) are told apart by theirs.
  if (known.size() < columns.names.size()) columns.names = full;
  return columns;
}

std::vector<std::int64_t> read_places(const std::string& text) {
  std::vector<std::int64_t> places;
  for (const double place : parse_list(text, "--positions", kEncodingMostPositions)) {
    // Millions of good ones are not written down to be read again.
    const bool good = place == std::floor(place) && std::abs(place) <= kLargestPosition;
    places.push_back(good ? static_cast<std::int64_t>(place) : read_whole("--positions", shortest_number(place)));
  }
  return places;
}

std::string header_of_encoding(const Columns& columns) {
  std::string header = columns.model->encoding().values_by == ValuesBy::position ? "position" : "distance";
  for (const std::string& name : columns.names) header += "," + name;
  return header + "\n";
}

std::string csv_rows(const Columns& columns, std::span<const std::int64_t> places) {
  const TokenMatrix values = columns.rows(places);
  std::string rows;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    rows += std::to_string(places[static_cast<std::size_t>(i)]);
    // Adding 0 turns −0 into 0.
    for (Eigen::Index c = 0; c < values.cols(); ++c) rows += "," + shortest_number(values(i, c) + 0.0);
    rows += "\n";
  }
  return rows;
}

/// float64 numbers as they stand in a .npy.
std::string npy_rows(const Columns& columns, std::span<const std::int64_t> places) {
  const TokenMatrix values = columns.rows(places);
  std::string bytes;
  append_npy_numbers({values.data(), static_cast<std::size_t>(values.size())}, bytes);
  return bytes;
}

/// Says before anything is written that there are too many values, or some that are not finite: sizes grow towards the
/// ends, if at all.
void check_values(const Columns& columns, const std::vector<std::int64_t>& places) {
  const std::size_t width = columns.names.size();
  if (places.size() > kEncodingMostCells / width) {
    throw InputError("--positions has " + std::to_string(places.size()) + " positions with " + std::to_string(width) +
                     " values each, " + std::to_string(places.size() * width) + " in all; at most " +
                     std::to_string(kEncodingMostCells) + " were expected");
  }
  const auto [least, greatest] = std::minmax_element(places.begin(), places.end());
  columns.rows(std::vector<std::int64_t>{*least, *greatest});
}

bool wants_npy(const std::optional<std::string>& output) {
  if (!output || *output == "-") return false;
  const std::string ending = std::filesystem::path(*output).extension().string();
  if (ending != ".csv" && ending != ".npy") {
    throw InputError("-o is \"" + *output + "\"; a name that ends in .csv or .npy was expected");
  }
  return ending == ".npy";
}

void run_encoding(const EncodingValues& values) {
  const Encoding& encoding = find_encoding(values.name);
  const bool npy = wants_npy(values.output);
  const std::vector<std::int64_t> places = read_places(*values.positions);
  EncodingOptions options = values.encoding;
  const auto farthest =
      std::max_element(places.begin(), places.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  options.asked_length = std::abs(static_cast<double>(*farthest)) + 1;
  const auto model = make_model(encoding, settings_with_dim(options, encoding));
  if (encoding.values_by == ValuesBy::none) {
    throw InputError(values.name + " has no values: it does nothing with positions; another encoding was expected");
  }
  if (encoding.values_by == ValuesBy::position) {
    for (const std::int64_t place : places) check_position(*model, place);
  }
  const Columns columns = columns_of_encoding(model);
  check_values(columns, places);
  const std::size_t rows = std::max<std::size_t>(1, kEncodingPiece / columns.names.size());
  std::span<const std::int64_t> left = places;
  std::string piece;
  bool begun = false;
  put_result(values.output, [&]() -> std::string_view {
    if (!std::exchange(begun, true)) {
      piece = npy ? npy_header_text("<f8", {static_cast<std::int64_t>(places.size()),
                                            static_cast<std::int64_t>(columns.names.size())})
                  : header_of_encoding(columns);
      return piece;
    }
    if (left.empty()) return {};
    const std::size_t count = std::min(left.size(), rows);
    piece = npy ? npy_rows(columns, left.first(count)) : csv_rows(columns, left.first(count));
    left = left.subspan(count);
    return piece;
  });
}

std::string encoding_footer() {
  return "Encodings: " + encoding_names() +
         "\n"
         "Values stand by position; biases and vectors of a distance (query position - key position) by distance.\n"
         "Learned tables are seeded, smooth-random ones. \"ropescope encodings\" says more about each.\n";
}

}  // namespace

Action declare_encoding(Arguments& arguments) {
  const auto values = std::make_shared<EncodingValues>();
  arguments.positional("NAME", values->name, "Which position encoding; the list is below");
  arguments.option("--positions", "LIST", values->positions,
                   "Whole numbers and inclusive ranges a:b or a:b:step, by commas", Arguments::Need::required);
  arguments.option("--dim", "D", values->encoding.settings["dim"],
                   "Channels of q and k, an even number (a model says it itself)");
  add_encoding_options(arguments, values->encoding);
  arguments.option("-o,--output", "F", values->output, "File to write: .csv or .npy (default: CSV to standard output)");
  arguments.footer(encoding_footer);
  return [values] { run_encoding(*values); };
}

}  // namespace ropescope
