// The commands `layout`, `layouts` and `similarity`, with the layout options declared in layout.h.
//
// Contents: Options; layout; layouts; similarity.

#include "app/commands/layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "app/commands/answers.h"
#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/layouts.h"
#include "app/views/similarity.h"
#include "core/formats/config_layout.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/formats/npy.h"
#include "core/layouts/extension.h"
#include "core/layouts/layout.h"
#include "core/layouts/similarity.h"
#include "core/layouts/tables.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

// --- Options -------------------------------------------------------------------------------------------------------

namespace {

/// Returns the fields that have an option: only in layouts, or also in ropes and encodings.
std::vector<LayoutField> fields_of_options(bool shared) {
  std::vector<LayoutField> settings = all_layout_fields();
  std::erase_if(settings, [shared](const LayoutField& field) {
    const bool is_shared = (field.traits & kSharedOption) != 0;
    return !field.has_control || (field.traits & kNoOption) != 0 || is_shared != shared;
  });
  return settings;
}

std::string layouts_with(std::string_view field) {
  return joined(entry_names(all_layouts(), [&](const Layout& layout) { return takes(layout, field); }));
}

/// Returns the video layouts by the frame counts of their VAE: "wan, hunyuan-video: 4n + 1; ltx-video: 8n + 1; allegro:
/// any".
std::string layouts_with_video() {
  std::vector<std::pair<int, std::string>> groups;
  for (const Layout& layout : all_layouts()) {
    if (layout.frame_factor == 1) continue;
    const int factor = layout.any_frames ? 1 : layout.frame_factor;
    const auto kin =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == factor; });
    if (kin == groups.end()) {
      groups.emplace_back(factor, layout.name);
    } else {
      kin->second += ", " + std::string(layout.name);
    }
  }
  std::string words;
  for (const auto& [factor, names] : groups) {
    words += (words.empty() ? "" : "; ") + names + ": " + (factor == 1 ? "any" : std::to_string(factor) + "n + 1");
  }
  return words;
}

int parse_count(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMax = std::int64_t{1} << 30;
  const std::int64_t count = read_whole(option, text);
  if (count >= 0 && count <= kMax) return static_cast<int>(count);
  const Message expected("expected.number", {{"least", 0}, {"most", kMax}});
  throw InputError("field", {{"field", option}, {"found", text}, {"expected", expected}});
}

/// Parses "AxB": width and height in pixels, or rows and columns of a grid.
ImageSize parse_image_size(const std::string& option, const std::string& text) {
  const bool grid = option.ends_with("grid");
  const std::size_t cross = text.find('x');
  int numbers[2] = {0, 0};
  const auto read = [](const char* begin, const char* end, int& number) {
    const auto [stop, error] = std::from_chars(begin, end, number);
    return begin != end && error == std::errc() && stop == end && number >= 0;
  };
  const char* begin = text.data();
  if (cross == std::string::npos || !read(begin, begin + cross, numbers[0]) ||
      !read(begin + cross + 1, begin + text.size(), numbers[1])) {
    reject(option, text, Message(grid ? "expected.size_in_tokens" : "expected.size_in_pixels"));
  }
  return grid ? ImageSize::tokens(numbers[0], numbers[1]) : ImageSize::pixels(numbers[0], numbers[1]);
}

LayoutConfig load_config(const LayoutOptions& options) {
  if (!options.config) return {};
  LayoutConfig config = options.config_text ? parse_layout_config(*options.config_text, *options.config)
                                            : require_layout_config(*options.config);
  if (!fits_layout(config.layout, options.name)) {
    throw InputError(*options.config, "command.other_layout", {{"layout", config.layout}, {"expected", options.name}});
  }
  return config;
}

std::optional<double> find_number(const LayoutOptions& options, std::string_view name) {
  const auto found = options.numbers.find(name);
  return found == options.numbers.end() ? std::nullopt : std::optional(found->second);
}

/// Returns the frames in tokens, counted directly or from the frames of the video; 1 if neither is given.
int option_frames(const LayoutOptions& options) {
  const auto frames = find_number(options, "frames"), video = find_number(options, "video_frames");
  if (frames && video) refuse_both("--frames", "--video-frames");
  if (!video) return static_cast<int>(frames.value_or(1));
  return count_token_frames(find_layout(options.name), static_cast<int>(*video));
}

void apply_options(const LayoutOptions& options, LayoutRequest& request) {
  if (options.size && options.grid) refuse_both("--size", "--grid");
  if (options.size || options.grid) request.image = options.size ? options.size : options.grid;
  request.references = options.references;
  request.fit = options.fit;
  for (const LayoutField& field : all_layout_fields()) {
    if (const auto number = find_number(options, field.name)) set_value(request, field, *number);
  }
  request.frames = option_frames(options);
  if (!options.axes.empty()) request.axes = options.axes;
  if (options.pairing) request.pairing = options.pairing;
  if (options.scaling) request.scaling = options.scaling->name;
}

/// Adds options of fields up to the one with that name; all of them if there is none.
void add_up_to(std::string_view last, std::vector<LayoutField>& settings, Arguments& arguments,
               LayoutOptions& options) {
  while (!settings.empty()) {
    const LayoutField field = settings.front();
    settings.erase(settings.begin());
    add_option(arguments, field, layouts_with(field.name), field_into(options, option_name(field)));
    if (field.name == last) return;
  }
}

void add_layout_options(Arguments& arguments, LayoutOptions& options) {
  arguments.positional("NAME", options.name, Message("help.layout.NAME"));
  add_layout_only_options(arguments, options);
  std::vector<LayoutField> settings = fields_of_options(true);
  arguments.option("--config", "FILE", options.config, Message("help.layout.config"));
  add_up_to("max_frequency", settings, arguments, options);
  arguments.option("--pairing", "P", choice_into(options.pairing),
                   {"help.layout.pairing", {{"layouts", layouts_with("pairing")}}});
  arguments.option("--scaling", "NAME", scaling_into(options),
                   {"help.layout.scaling", {{"methods", joined(entry_names(all_scaling_methods(), extends_axes))}}});
  add_up_to({}, settings, arguments, options);
}

/// Returns notes on the config, and on options that have no effect in the layout.
Message::List option_notes(const LayoutOptions& options, const TokenLayout& layout) {
  Message::List notes = load_config(options).notes;
  const auto counts = [](const TokenBlock& block) { return block.is_text() || block.first_token > block.first_row; };
  const bool counted = std::any_of(layout.blocks.begin(), layout.blocks.end(), counts);
  if (find_number(options, "text").value_or(0) > 0 && !counted) {
    notes.push_back({"notice.no_text", {{"layout", layout.name}}});
  }
  const int factor = find_layout(layout.name).frame_factor;
  const int frames = option_frames(options);
  if (factor > 1 && frames > 1) {
    const char* key = options.numbers.contains("frames") ? "notice.frames" : "notice.video_frames";
    notes.push_back({key, {{"tokens", frames}, {"video", (frames - 1) * factor + 1}}});
  }
  return notes;
}

// --- layout --------------------------------------------------------------------------------------------------------

/// Number of rows in memory at a time.
constexpr std::int64_t kLayoutPiece = 4096;

struct LayoutValues {
  LayoutOptions layout;
  std::optional<CheckPart> part;
  std::optional<bool> doubles;  ///< whether --dtype is float64
  const OtherWords* as = nullptr;
  OutputFile output, cosine, sine;
};

/// Consecutive rows.
struct Stretch {
  std::int64_t first = 0, count = 0;
};

/// Returns the rows of a part: all, text, image, audio, or reference (every reference image).
std::vector<Stretch> stretches_of(const TokenLayout& layout, const std::string& part) {
  std::vector<Stretch> stretches;
  for (const TokenBlock& block : layout.blocks) {
    const bool wanted = part == "all" || block.part == part || (part == "reference" && block.is_reference());
    if (wanted) stretches.push_back({block.first_row, block.count()});
  }
  if (stretches.empty()) throw InputError("command.no_part", {{"part", part}, {"layout", layout.name}});
  return stretches;
}

std::int64_t rows_in(const std::vector<Stretch>& stretches) {
  std::int64_t rows = 0;
  for (const Stretch& stretch : stretches) rows += stretch.count;
  return rows;
}

/// Returns the stretches in pieces of at most kPiece rows; the last piece is empty.
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

template <class Cell>
void append_cells(std::string& bytes, const Cell* cells, std::size_t count) {
  append_little_endian(std::span(cells, count), bytes);
}

std::string csv_header(const TokenLayout& layout) {
  std::string header = "token,part";
  for (const LayoutAxis& axis : layout.axes) header += "," + axis.name;
  return header + "\n";
}

void append_layout_rows(std::string& text, const TokenLayout& layout, Stretch rows) {
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
void write_ids(const OutputFile& output, bool npy, const TokenLayout& layout, const std::vector<Stretch>& stretches) {
  Walk walk(stretches);
  const std::string header =
      npy ? npy_header_text(descr<Cell>(), {rows_in(stretches), std::ssize(layout.axes)}) : csv_header(layout);
  put_result(output, header, [&](std::string& piece) {
    const Stretch rows = walk.next();
    if (npy) {
      append_ids<Cell>(piece, layout, rows);
    } else {
      append_layout_rows(piece, layout, rows);
    }
  });
}

/// One of the two tables. It is recomputed row by row each time, which costs less than writing it.
template <class Cell>
void write_layout_table(const OutputFile& output, bool cosine, const LayoutTables& tables,
                        const std::vector<Stretch>& stretches) {
  Walk walk(stretches);
  const Eigen::Index pairs = tables.layout().pair_count();
  std::vector<Cell> cosines(static_cast<std::size_t>(kLayoutPiece * pairs)), sines(cosines.size());
  put_result(output, npy_header_text(descr<Cell>(), {rows_in(stretches), pairs}), [&](std::string& piece) {
    const Stretch rows = walk.next();
    tables.table_rows<Cell>(rows.first, rows.count, cosines.data(), sines.data());
    const std::vector<Cell>& cells = cosine ? cosines : sines;
    append_cells(piece, cells.data(), static_cast<std::size_t>(rows.count * pairs));
  });
}

template <class Cell>
void write_all(const LayoutValues& values, const TokenLayout& layout) {
  const std::vector<Stretch> stretches = stretches_of(layout, word_of(values.part.value_or(CheckPart::all)));
  const bool npy = values.output.is_file() && require_ending(values.output, {".csv", ".npy"}) == ".npy";
  const bool cosine = values.cosine.is_given(), sine = values.sine.is_given();
  if (cosine) require_ending(values.cosine, {".npy"}, "--cos");
  if (sine) require_ending(values.sine, {".npy"}, "--sin");
  require_different_files({{"-o", &values.output}, {"--cos", &values.cosine}, {"--sin", &values.sine}});
  if (cosine || sine) {
    const LayoutTables tables(layout);
    if (cosine) write_layout_table<Cell>(values.cosine, true, tables, stretches);
    if (sine) write_layout_table<Cell>(values.sine, false, tables, stretches);
    if (!values.output.is_given()) return;
  }
  write_ids<Cell>(values.output, npy, layout, stretches);
}

/// Writes the whole layout in another program's terms. Throws InputError if these have no equivalent, or if a part or
/// table is requested.
void put_words(const LayoutValues& values) {
  for (const auto& [name, is_given] : {std::pair("--part", values.part.has_value()),
                                       {"--cos", values.cosine.is_given()},
                                       {"--sin", values.sine.is_given()},
                                       {"--dtype", values.doubles.has_value()}}) {
    if (is_given) refuse_both("--as", name);
  }
  put_equivalent(values.output, *values.as, find_layout(values.layout.name), layout_request(values.layout));
}

void run_layout(const LayoutValues& values) {
  if (values.as) return put_words(values);
  const TokenLayout layout = arrange(find_layout(values.layout.name), layout_request(values.layout));
  values.doubles.value_or(false) ? write_all<double>(values, layout) : write_all<float>(values, layout);
  print_notices(option_notes(values.layout, layout));
  print_notices(layout.notes);
}

// --- layouts -------------------------------------------------------------------------------------------------------

using nlohmann::ordered_json;

struct LayoutsValues {
  bool json = false;
  OutputFile output;
};

std::string to_default_axes_text(const Layout& layout) {
  if (layout.axes.empty()) return "custom";
  return joined(layout.axes, ", ",
                [](const AxisDefault& axis) { return std::string(axis.name) + " " + std::to_string(axis.rotary_dim); });
}

std::string source_of(const Layout& layout) {
  return layout.source.empty() ? "custom axes" : std::string(layout.source);
}

std::string layouts_table() {
  std::vector<std::vector<std::string>> rows = {{"name", "axes", "source"}};
  for (const Layout& layout : all_layouts()) {
    rows.push_back({std::string(layout.name), to_default_axes_text(layout), source_of(layout)});
  }
  return aligned(rows);
}

/// Fields that belong to another field are omitted.
std::vector<std::string> list_settings(const Layout& layout) {
  std::vector<std::string> names;
  for (const LayoutField& field : layout.settings) {
    if (field.of.empty()) names.emplace_back(field.name);
  }
  return names;
}

/// Returns the sizes in pixels of the released pipeline; null if unknown.
ordered_json sizes_of(const Layout& layout) {
  constexpr const char* kReferences[] = {"as they are", "shrunk to a megapixel", "scaled to a megapixel"};
  if (layout.sizes.source.empty()) return nullptr;
  return {{"refuses_unless_multiple_of", layout.sizes.multiple},
          {"scales_to_pixels", layout.sizes.pixels},
          {"rounds_down_to", layout.vae_factor * layout.patch},
          {"references", kReferences[static_cast<std::size_t>(layout.sizes.references)]},
          {"source", "huggingface/diffusers src/diffusers/" + std::string(layout.sizes.source)}};
}

/// Returns the sizes used in training; null if unknown.
ordered_json trained_json(const TrainedSides& trained) {
  if (trained.rows == 0) return nullptr;
  ordered_json sides = {{"rows", trained.rows}, {"columns", trained.columns}};
  if (trained.frames > 0) sides["frames"] = trained.frames;
  sides["source"] = trained.source;
  return sides;
}

std::string layouts_json_text() {
  const Text text = Text::load(find_places().assets);
  ordered_json list = ordered_json::array();
  for (const Layout& layout : all_layouts()) {
    ordered_json axes = ordered_json::array();
    for (const AxisDefault& axis : layout.axes) {
      axes.push_back({{"name", axis.name}, {"rotary_dim", axis.rotary_dim}, {"base", axis.base}});
    }
    list.push_back({{"name", layout.name},
                    {"title", text.render(words_of(layout, "title"))},
                    {"axes", axes},
                    {"pairing", word_of(layout.pairing)},
                    {"pixels_per_token", layout.vae_factor * layout.patch},
                    {"vae_factor", layout.vae_factor},
                    {"patch", layout.patch},
                    {"sizes", sizes_of(layout)},
                    {"order", text.render(words_of(layout, "order"))},
                    {"ids", text.render(words_of(layout, "ids"))},
                    {"settings", list_settings(layout)},
                    {"trained", trained_json(layout.trained)},
                    {"quirk", layout.has_quirk ? text.render(words_of(layout, "quirk")) : ""},
                    {"source", source_of(layout)}});
  }
  return ordered_json{{"layouts", list}}.dump(2) + "\n";
}

// --- similarity ----------------------------------------------------------------------------------------------------

/// Number of tokens whose lines are in memory at a time.
constexpr std::size_t kSimilarityPiece = 4096;

/// Maximum number of targets that a picture frames.
constexpr std::size_t kMaxFramed = 64;

struct SimilarityValues {
  LayoutOptions layout;
  PageOptions page;
  SimilarityFields map;
  FieldOptions given;      ///< the options that set fields of the view Similarity
  std::vector<double> to;  ///< tokens; empty: all
  const Layout* against = nullptr;
  std::int64_t from = 0;
  std::string language;
  OutputFile output;
  bool json = false;
};

using Arranged = std::shared_ptr<const ArrangedLayout>;

/// The image, its layouts, and the rows of anchor and targets.
struct Seen {
  Arranged shown, compared;               ///< the second is null without a comparison
  std::int64_t first_row = 0, count = 0;  ///< rows of the image
  std::int64_t anchor = 0;                ///< within the image, like `targets`
  std::vector<std::int64_t> targets;

  const TokenLayout& layout() const { return shown->tables->layout(); }
};

std::int64_t token_of(const std::string& option, const std::string& text, double token, const Seen& seen) {
  if (std::floor(token) == token && token >= 0 && token < static_cast<double>(seen.count)) {
    return static_cast<std::int64_t>(token);
  }
  throw InputError("command.no_token",
                   {{"option", option}, {"found", text}, {"layout", seen.layout().name}, {"last", seen.count - 1}});
}

void choose_tokens(const SimilarityValues& values, Seen& seen) {
  seen.anchor = token_of("--from", std::to_string(values.from), static_cast<double>(values.from), seen);
  if (values.to.empty()) {
    seen.targets.resize(static_cast<std::size_t>(seen.count));
    std::iota(seen.targets.begin(), seen.targets.end(), 0);
    return;
  }
  for (const double token : values.to) {
    seen.targets.push_back(token_of("--to", shortest_number(token), token, seen));
  }
}

Seen see(const SimilarityValues& values) {
  const Layout& layout = find_layout(values.layout.name);
  LayoutRequest asked = option_request(values.layout), request = layout_request(values.layout);
  const Layout* other = values.against;
  // Custom axes, heads and fields that only one layout has may be intended for the compared layout.
  if (other && takes(*other, "axes") && !takes(layout, "axes")) request.axes.clear();
  if (other && takes(*other, "mixed_frequencies") && !takes(layout, "mixed_frequencies")) {
    const LayoutRequest initial;
    request.head = initial.head;
    request.heads = initial.heads;
    request.seed = initial.seed;
  }
  for (const LayoutField& field : other ? other->settings : std::span<const LayoutField>()) {
    if (!takes(layout, field.name)) request.numbers.erase(std::string(field.name));
  }
  Seen seen;
  seen.shown = try_arrange(layout, request);
  const TokenBlock& image = image_block(seen.layout());
  seen.first_row = image.first_row;
  seen.count = image.count();
  choose_tokens(values, seen);
  if (other) {
    seen.compared = try_arrange(*other, counterpart_request(seen.layout(), asked, *other));
    require_same_image(seen.layout(), seen.compared->tables->layout());
  }
  return seen;
}

/// Similarity of the image tokens to the anchor: the whole map, or single values if only a few are requested.
class ImageSimilarity {
 public:
  ImageSimilarity(const LayoutTables& tables, const Seen& seen)
      : layout_(tables.layout()), first_row_(image_block(layout_).first_row), anchor_(seen.anchor) {
    // A single value costs about as much as some hundreds of values in the map.
    constexpr std::int64_t kFew = 256;
    if (static_cast<std::int64_t>(seen.targets.size()) < seen.count / kFew) return;
    map_ = similarity_from(tables, first_row_ + anchor_).total.segment(first_row_, seen.count);
  }
  double at(std::int64_t target) const {
    if (map_.size() > 0) return map_[target];
    return similarity_between(layout_, first_row_ + anchor_, first_row_ + target).total;
  }

 private:
  const TokenLayout& layout_;
  std::int64_t first_row_, anchor_;
  Eigen::VectorXd map_;  ///< of every token of the image, or empty
};

/// Rows of the table: d of every axis, similarity and, if present, that of the compared layout.
class Table {
 public:
  explicit Table(const Seen& seen)
      : seen_(seen), here_(ids_of(seen.layout(), seen.first_row + seen.anchor)), shown_(*seen.shown->tables, seen) {
    if (seen.compared) against_.emplace(*seen.compared->tables, seen);
  }

  std::int64_t columns() const { return static_cast<std::int64_t>(here_.size()) + (seen_.compared ? 2 : 1); }
  std::vector<TableColumn> named_columns() const {
    std::vector<TableColumn> columns = {{"token"}};
    for (const LayoutAxis& axis : seen_.layout().axes) columns.push_back({"d_" + axis.name});
    columns.push_back({"similarity"});
    if (seen_.compared) columns.push_back({"against"});
    return columns;
  }
  void fill(std::int64_t target, std::vector<double>& row) const {
    row.clear();
    const std::vector<double> there = ids_of(seen_.layout(), seen_.first_row + target);
    for (std::size_t axis = 0; axis < there.size(); ++axis) row.push_back(there[axis] - here_[axis]);
    row.push_back(shown_.at(target));
    if (against_) row.push_back(against_->at(target));
  }

 private:
  const Seen& seen_;
  std::vector<double> here_;
  ImageSimilarity shown_;
  std::optional<ImageSimilarity> against_;
};

void write_similarity_npy(const Seen& seen, const OutputFile& output) {
  const Table table(seen);
  std::vector<double> row;
  std::size_t next = 0;
  const std::string header = npy_header_text("<f8", {std::ssize(seen.targets), table.columns()});
  put_result(output, header, [&](std::string& piece) {
    for (const std::size_t end = std::min(next + kSimilarityPiece, seen.targets.size()); next < end; ++next) {
      table.fill(seen.targets[next], row);
      append_npy_numbers(row, piece);
    }
  });
}

/// Returns the question: the layout, the image's tokens, the anchor and the compared layout.
RequestSummary describe_similarity_request(const Seen& seen, const SimilarityValues& values, const Text& text) {
  const TokenBlock& image = image_block(seen.layout());
  RequestSummary question(text);
  question.add("layout", seen.layout().name, text.render(words_of(find_layout(seen.layout().name), "title")));
  question.add(
      "tokens", {{"frames", image.frames}, {"rows", image.rows}, {"columns", image.columns}},
      text.format(
          image.frames > 1 ? "answer.grid_of_frames" : "answer.grid",
          {{"frames", counted(image.frames)}, {"rows", counted(image.rows)}, {"columns", counted(image.columns)}}));
  const std::int64_t in_frame = seen.anchor % (image.rows * image.columns);
  question.add("from", seen.anchor,
               text.format("answer.token", {{"token", std::to_string(seen.anchor)},
                                            {"row", std::to_string(in_frame / image.columns)},
                                            {"column", std::to_string(in_frame % image.columns)}}),
               "--from");
  const std::string against(values.against ? values.against->name : "");
  if (values.against) question.add("against", against, against, "--against");
  return question;
}

void write_similarity_table(const Seen& seen, const SimilarityValues& values) {
  const Table table(seen);
  const Text text = load_text(values.language);
  const RequestSummary question = describe_similarity_request(seen, values, text);
  std::vector<double> row;
  std::size_t next = 0;
  put_table(values.output, {question, table.named_columns(), {text["answer.similarity"]}, values.json},
            [&](std::string& piece) {
              for (const std::size_t end = std::min(next + kSimilarityPiece, seen.targets.size()); next < end; ++next) {
                table.fill(seen.targets[next], row);
                piece += std::to_string(seen.targets[next]);
                for (const double number : row) piece += "," + shortest_number(number);
                piece += "\n";
              }
            });
}

/// Returns one layout of a picture; the drawn frames include the anchor's.
SimilaritySide side_of(const Arranged& arranged, std::int64_t anchor, const Text& text) {
  const TokenLayout& layout = arranged->tables->layout();
  if (layout.row_count() > kMaxSimilarityRows) {
    throw InputError("command.large_picture", {{"tokens", layout.row_count()}, {"most", kMaxSimilarityRows}});
  }
  SimilarityInput input;
  input.arranged = arranged;
  input.anchor = anchor;
  const TokenBlock& image = image_block(layout);
  input.frames = shown_frames(image.frames, {static_cast<int>(anchor / image.columns / image.rows)});
  return {text["option.layout.name." + layout.name], computed<similarity_map>(input, {1}), {}, false};
}

void write_similarity_picture(const Seen& seen, const SimilarityValues& values, PageFormat format,
                              const PageFields& page) {
  const Text text = load_text(values.language);
  SimilarityScene scene{{}, {}, {}, values.map.colours == SimilarityColours::fitted, values.map.zooms, text};
  if (!values.to.empty() && seen.targets.size() <= kMaxFramed) scene.targets = seen.targets;
  scene.sides.push_back(side_of(seen.shown, seen.anchor, text));
  if (seen.compared) scene.sides.push_back(side_of(seen.compared, seen.anchor, text));
  ViewResult result;
  result.panels = similarity_panels(scene);
  put_result(values.output, paint_page(result, format, parse_page_size(page.size), style_of(page)));
}

void run_similarity(const SimilarityValues& values) {
  const std::optional<PageFormat> format = picture_format(values.output.ending());
  const bool npy = values.output.ending() == ".npy";
  if (!values.json && values.output.is_file()) {
    require_ending(values.output, {".csv", ".npy", ".png", ".svg", ".pdf"});
  }
  if (values.json && (format || npy)) refuse_both("--json", "-o " + values.output.path());
  // Wrong options are reported before anything is computed.
  const PageFields page = to_page(values.page, format.has_value());
  if (format) to_picture_size(page, *format, "--picture-size");
  if (!format && values.given.has("similarity.colours")) {
    throw InputError("command.no_picture", {{"option", "--colours"}});
  }
  const Seen seen = see(values);
  if (format) {
    write_similarity_picture(seen, values, *format, page);
  } else if (npy) {
    write_similarity_npy(seen, values.output);
  } else {
    write_similarity_table(seen, values);
  }
  print_notices(option_notes(values.layout, seen.layout()));
  print_notices(seen.layout().notes);
}

}  // namespace

void add_layout_only_options(Arguments& arguments, LayoutOptions& options) {
  std::vector<LayoutField> settings = fields_of_options(false);
  arguments.option("--size", "WxH", parsed_into(options.size, parse_image_size));
  arguments.option("--grid", "RxC", parsed_into(options.grid, parse_image_size));
  arguments.flag("--fit", options.fit);
  add_up_to("text_after", settings, arguments, options);
  arguments.every("--reference", "WxH", reference_into(options));
  arguments.every("--reference-grid", "RxC", reference_into(options));
  add_up_to("frames", settings, arguments, options);
  const auto take_video = [&options](const std::string& option, const std::string& text) {
    options.numbers["video_frames"] = parse_count(option, text);
  };
  arguments.option("--video-frames", "F", take_video,
                   {"help.shared.video-frames", {{"layouts", layouts_with_video()}}});
  add_up_to("patch", settings, arguments, options);
  arguments.option("--axes", "LIST", [&options](const std::string& option, const std::string& text) {
    options.axes = read_custom_axes(text, option);
  });
  add_up_to({}, settings, arguments, options);
}

Arguments::Take field_into(LayoutOptions& options, const std::string& name) {
  const std::vector<LayoutField> fields = all_layout_fields();
  const LayoutField field = *std::ranges::find(fields, name, [](const LayoutField& each) { return option_name(each); });
  return [&options, field](const std::string& option, const std::string& text) {
    options.numbers[std::string(field.name)] = field.is_switch ? read(field, option, text)
                                               : field.whole   ? parse_count(option, text)
                                                               : read_number(option, text);
  };
}

Arguments::Take scaling_into(LayoutOptions& options) {
  return [&options](const std::string& option, const std::string& text) {
    const std::vector<std::string> methods = entry_names(all_scaling_methods(), extends_axes);
    const bool known = std::ranges::count(methods, text) > 0;
    if (!known) reject(option, text, Message("expected.one_of", {{"names", joined(methods)}}));
    options.scaling = &find_scaling_method(text);
  };
}

Arguments::Take reference_into(LayoutOptions& options) {
  return [&options](const std::string& option, const std::string& text) {
    options.references.push_back(parse_image_size(option, text));
  };
}

std::string layout_names() {
  return joined(entry_names(all_layouts()));
}

LayoutRequest layout_request(const LayoutOptions& options) {
  LayoutRequest request = load_config(options).request;
  apply_options(options, request);
  if (!request.image && takes(find_layout(options.name), "image")) {
    throw InputError(options.name, "command.no_image_size", {});
  }
  return request;
}

LayoutRequest option_request(const LayoutOptions& options) {
  LayoutRequest request;
  apply_options(options, request);
  return request;
}

Action declare_layout(Arguments& arguments) {
  const auto values = std::make_shared<LayoutValues>();
  add_layout_options(arguments, values->layout);
  arguments.option("--part", "PART", choice_into(values->part));
  arguments.option("-o,--output", "F", values->output);
  arguments.option("--cos", "C.npy", values->cosine);
  arguments.option("--sin", "S.npy", values->sine);
  arguments.option("--dtype", "T", word_into(values->doubles, {{"float32", false}, {"float64", true}}));
  add_as_option(arguments, values->as);
  arguments.footer({"help.layout.footer", {{"layouts", layout_names()}}});
  return [values] { run_layout(*values); };
}

Action declare_layouts(Arguments& arguments) {
  const auto values = std::make_shared<LayoutsValues>();
  arguments.flag("--json", values->json);
  arguments.option("-o,--output", "F", values->output);
  return [values] { put_result(values->output, values->json ? layouts_json_text() : layouts_table()); };
}

Action declare_similarity(Arguments& arguments) {
  const auto values = std::make_shared<SimilarityValues>();
  add_layout_options(arguments, values->layout);
  arguments.option("--from", "TOKEN", whole_into(values->from), Arguments::Need::required);
  arguments.option("--to", "LIST", list_into(values->to));
  const auto find = [](const std::string& text) { return &find_layout(text); };
  arguments.option("--against", "NAME", parsed_into(values->against, find));
  add_picture_options(arguments, values->page, "1200x800", "--picture-size");
  const FieldList list = fields_of(values->map);
  values->given.add(arguments, *find_field(list, "similarity.colours"), "full|fitted");
  arguments.flag("--json", values->json);
  add_language_option(arguments, values->language);
  arguments.option("-o,--output", "F", values->output);
  arguments.footer({"help.similarity.footer", {{"layouts", layout_names()}}});
  return [values] { run_similarity(*values); };
}

}  // namespace ropescope
