#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "app/commands/as_option.h"
#include "app/commands/commands.h"
#include "app/commands/layout_options.h"
#include "app/figure/number_text.h"
#include "app/resources/text.h"
#include "core/error.h"
#include "core/formats/npy_header.h"
#include "core/layouts/tables.h"
#include "core/little_endian.h"

namespace ropescope {

namespace {

/// Rows that are held at a time.
constexpr std::int64_t kLayoutPiece = 4096;

struct LayoutValues {
  LayoutOptions layout;
  std::optional<std::string> part, output, cosine, sine, dtype, as;
};

/// Consecutive rows.
struct Stretch {
  std::int64_t first = 0, count = 0;
};

/// The rows of a part: all, text, image or reference (any of them).
std::vector<Stretch> stretches_of(const TokenLayout& layout, const std::string& part) {
  if (part != "all" && part != "text" && part != "image" && part != "reference") {
    throw InputError("--part is \"" + part + "\"; all, text, image or reference was expected");
  }
  std::vector<Stretch> stretches;
  for (const TokenBlock& block : layout.blocks) {
    const bool wanted =
        part == "all" || block.part == part || (part == "reference" && block.part.rfind("reference", 0) == 0);
    if (wanted) stretches.push_back({block.first_row, block.count()});
  }
  if (stretches.empty()) {
    throw InputError("--part is " + part + ", but the layout " + layout.name +
                     " has no such tokens here; another part was expected");
  }
  return stretches;
}

std::int64_t rows_in(const std::vector<Stretch>& stretches) {
  std::int64_t rows = 0;
  for (const Stretch& stretch : stretches) rows += stretch.count;
  return rows;
}

/// Hands out the stretches in pieces of at most kPiece rows; the last is empty.
class Walk {
 public:
  explicit Walk(std::vector<Stretch> stretches) : left_(std::move(stretches)) {}
  Stretch next() {
    while (at_ < left_.size() && left_[at_].count == 0) ++at_;
    if (at_ == left_.size()) return {};
    const Stretch piece{left_[at_].first, std::min(left_[at_].count, kLayoutPiece)};
    left_[at_].first += piece.count;
    left_[at_].count -= piece.count;
    return piece;
  }

 private:
  std::vector<Stretch> left_;
  std::size_t at_ = 0;
};

/// Throws InputError for another ending than those a table, or the ids, can be written with.
bool is_npy(const std::string& path, const std::string& option, bool csv_too) {
  if (csv_too && path == "-") return false;
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".npy" || (csv_too && ending == ".csv")) return ending == ".npy";
  throw InputError(option + " is \"" + path + "\"; a name that ends in " + (csv_too ? ".csv or " : "") +
                   ".npy was expected");
}

template <class Cell>
void append_cells(std::string& bytes, const Cell* cells, std::size_t count) {
  append_little_endian(std::span(cells, count), bytes);
}

std::string csv_header(const TokenLayout& layout) {
  std::string header = "token,part";
  for (const LayoutAxis& axis : layout.axes) header += "," + axis.name;
  return header + "\n";
}

void append_csv_layout(std::string& text, const TokenLayout& layout, Stretch rows) {
  for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
    const TokenPlace place = place_of(layout, row);
    text += std::to_string(place.token) + "," + layout.blocks[place.block].part;
    for (const double id : ids_of(layout, row)) text += "," + shortest_number(id);
    text += "\n";
  }
}

template <class Cell>
void append_ids(std::string& bytes, const TokenLayout& layout, Stretch rows) {
  const Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> ids =
      id_rows(layout, rows.first, rows.count).template cast<Cell>();
  append_cells(bytes, ids.data(), static_cast<std::size_t>(ids.size()));
}

template <class Cell>
const char* descr() {
  return sizeof(Cell) == 4 ? "<f4" : "<f8";
}

template <class Cell>
void write_ids(const std::optional<std::string>& output, bool npy, const TokenLayout& layout,
               const std::vector<Stretch>& stretches) {
  Walk walk(stretches);
  bool begun = false;
  std::string piece;
  put_result(output, [&]() -> std::string_view {
    piece.clear();
    if (!std::exchange(begun, true)) {
      piece = npy ? npy_header_text(descr<Cell>(), {rows_in(stretches), static_cast<std::int64_t>(layout.axes.size())})
                  : csv_header(layout);
      return piece;
    }
    const Stretch rows = walk.next();
    if (npy) {
      append_ids<Cell>(piece, layout, rows);
    } else {
      append_csv_layout(piece, layout, rows);
    }
    return piece;
  });
}

/// One of the two tables; both are computed row by row each time, which costs less than writing them.
template <class Cell>
void write_table_layout(const std::string& output, bool cosine, const LayoutTables& tables,
                        const std::vector<Stretch>& stretches) {
  Walk walk(stretches);
  const Eigen::Index pairs = tables.layout().pair_count();
  std::vector<Cell> cosines(static_cast<std::size_t>(kLayoutPiece * pairs)), sines(cosines.size());
  bool begun = false;
  std::string piece;
  put_result(output, [&]() -> std::string_view {
    if (!std::exchange(begun, true)) {
      piece = npy_header_text(descr<Cell>(), {rows_in(stretches), pairs});
      return piece;
    }
    const Stretch rows = walk.next();
    tables.table_rows<Cell>(rows.first, rows.count, cosines.data(), sines.data());
    const std::vector<Cell>& cells = cosine ? cosines : sines;
    piece.clear();
    append_cells(piece, cells.data(), static_cast<std::size_t>(rows.count * pairs));
    return piece;
  });
}

template <class Cell>
void write_all(const LayoutValues& values, const TokenLayout& layout) {
  const std::vector<Stretch> stretches = stretches_of(layout, values.part.value_or("all"));
  const bool npy = values.output && is_npy(*values.output, "-o", true);
  if (values.cosine) is_npy(*values.cosine, "--cos", false);
  if (values.sine) is_npy(*values.sine, "--sin", false);
  require_different_files({{"-o", &values.output}, {"--cos", &values.cosine}, {"--sin", &values.sine}});
  if (values.cosine || values.sine) {
    const LayoutTables tables(layout);
    if (values.cosine) write_table_layout<Cell>(*values.cosine, true, tables, stretches);
    if (values.sine) write_table_layout<Cell>(*values.sine, false, tables, stretches);
    if (!values.output) return;
  }
  write_ids<Cell>(values.output, npy, layout, stretches);
}

/// All of the layout in other words. Throws InputError where the words have none for it, or a part or table is asked
/// for.
void put_words(const LayoutValues& values) {
  for (const auto& [name, value] : {std::pair("--part", &values.part),
                                    {"--cos", &values.cosine},
                                    {"--sin", &values.sine},
                                    {"--dtype", &values.dtype}}) {
    if (*value) throw InputError(std::string("--as and ") + name + " are both given; one of them was expected");
  }
  put_equivalent(values.output, *values.as, find_layout(values.layout.name), layout_request(values.layout));
}

void run_layout(const LayoutValues& values) {
  if (values.as) return put_words(values);
  const TokenLayout layout = arrange(find_layout(values.layout.name), layout_request(values.layout));
  const std::string dtype = values.dtype.value_or("float32");
  if (dtype != "float32" && dtype != "float64") {
    throw InputError("--dtype is \"" + dtype + "\"; float32 or float64 was expected");
  }
  if (dtype == "float32") {
    write_all<float>(values, layout);
  } else {
    write_all<double>(values, layout);
  }
  for (const std::string& note : option_notes(values.layout, layout)) put_notice(note);
  for (const Words& note : layout.notes) put_notice(said_in_english(note));
}

std::string layout_footer() {
  return "Layouts: " + layout_names() +
         "\n"
         "Tokens stand in the order in which the model puts them together; those that it does not rotate have no row.\n"
         "\"ropescope layouts\" lists axes and sources.\n";
}

}  // namespace

Action declare_layout(Arguments& arguments) {
  const auto values = std::make_shared<LayoutValues>();
  add_layout_options(arguments, values->layout);
  arguments.option("--part", "PART", values->part, "all, text, image or reference (default: all)");
  arguments.option("-o,--output", "F", values->output,
                   "File of the ids: .csv or .npy (default: CSV to standard output, unless a table is written)");
  arguments.option("--cos", "C.npy", values->cosine, "File of the cosines [tokens, pairs]");
  arguments.option("--sin", "S.npy", values->sine, "File of the sines [tokens, pairs]");
  arguments.option("--dtype", "T", values->dtype, "float32 or float64, of every .npy (default: float32)");
  add_as_option(arguments, values->as);
  arguments.footer(layout_footer);
  return [values] { run_layout(*values); };
}

}  // namespace ropescope
