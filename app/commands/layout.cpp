// The commands `layout`, `layouts` and `similarity`, with the options of a layout that layout.h declares.
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

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
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
#include "core/words.h"

namespace ropescope {

// --- Options -------------------------------------------------------------------------------------------------------

namespace {

/// The fields that have an option: of layouts only, or those that ropes and encodings have as well.
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

/// The layouts with a video, by how many frames their VAE takes: "wan, hunyuan-video: 4n + 1; ltx-video: 8n + 1;
/// allegro: any".
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

int read_count_layout_options(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const std::int64_t count = read_whole(option, text);
  if (count >= 0 && count <= kMost) return static_cast<int>(count);
  const Words expected("expected.number", {{"least", 0}, {"most", kMost}});
  throw InputError("field", {{"field", option}, {"found", text}, {"expected", expected}});
}

/// "AxB": width and height in pixels, or of a grid rows and columns.
ImageSize read_image_size(const std::string& option, const std::string& text) {
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
    reject(option, text, Words(grid ? "expected.size_in_tokens" : "expected.size_in_pixels"));
  }
  return grid ? ImageSize::tokens(numbers[0], numbers[1]) : ImageSize::pixels(numbers[0], numbers[1]);
}

LayoutConfig read_config_layout_options(const LayoutOptions& options) {
  if (!options.config) return {};
  LayoutConfig config = options.config_text ? parse_layout_config(*options.config_text, *options.config)
                                            : require_layout_config(*options.config);
  if (!fits_layout(config.layout, options.name)) {
    throw InputError(*options.config, "command.other_layout", {{"layout", config.layout}, {"expected", options.name}});
  }
  return config;
}

void read_images(const LayoutOptions& options, LayoutRequest& request) {
  if (options.size && options.grid) refuse_both("--size", "--grid");
  if (options.size) request.image = read_image_size("--size", *options.size);
  if (options.grid) request.image = read_image_size("--grid", *options.grid);
  for (const auto& [name, text] : options.references) {
    request.references.push_back(read_image_size(name, text));
  }
}

/// Frames of tokens, counted themselves or by the frames of the video; 1 where neither is given.
int option_frames(const LayoutOptions& options) {
  const std::string* frames = options.settings.find("frames");
  if (frames && options.video_frames) refuse_both("--frames", "--video-frames");
  if (frames) return read_count_layout_options("--frames", *frames);
  if (!options.video_frames) return 1;
  return frames_of_tokens(find_layout(options.name),
                          read_count_layout_options("--video-frames", *options.video_frames));
}

void read_options(const LayoutOptions& options, LayoutRequest& request) {
  read_images(options, request);
  request.fit = options.fit;
  request.frames = option_frames(options);
  for (const LayoutField& field : all_layout_fields()) {
    const std::string* text = options.settings.find(field.name);
    if (!text || field.name == "frames") continue;
    const std::string option = option_name(field);
    set_value(request, field,
              field.is_switch ? read(field, option, *text)
              : field.whole   ? read_count_layout_options(option, *text)
                              : read_number(option, *text));
  }
  if (options.axes) request.axes = read_custom_axes(*options.axes, "--axes");
  if (options.pairing) request.pairing = read_choice<Pairing>("--pairing", *options.pairing);
  if (!options.scaling) return;
  const std::vector<std::string> methods = entry_names(all_scaling_methods(), extends_axes);
  if (std::ranges::count(methods, *options.scaling) == 0) {
    reject("--scaling", *options.scaling, Words("expected.one_of", {{"names", joined(methods)}}));
  }
  request.scaling = *options.scaling;
}

/// Adds options of fields up to the one of that name; all of them where there is none.
void add_up_to(std::string_view last, std::vector<LayoutField>& settings, Arguments& arguments,
               LayoutOptions& options) {
  while (!settings.empty()) {
    const LayoutField field = settings.front();
    settings.erase(settings.begin());
    add_option(arguments, field, layouts_with(field.name), options.settings);
    if (field.name == last) return;
  }
}

void add_layout_options(Arguments& arguments, LayoutOptions& options) {
  arguments.positional("NAME", options.name, "Which layout; the list is below");
  add_layout_only_options(arguments, options);
  std::vector<LayoutField> settings = fields_of_options(true);
  arguments.option("--config", "FILE", options.config, "A model's config.json: channels, base, patch, sections");
  add_up_to("max_frequency", settings, arguments, options);
  arguments.option("--pairing", "P", options.pairing, "interleaved or half (" + layouts_with("pairing") + ")");
  arguments.option(
      "--scaling", "NAME", options.scaling,
      "Extension of each axis beyond its trained side: " + joined(entry_names(all_scaling_methods(), extends_axes)));
  add_up_to({}, settings, arguments, options);
}

/// What a reader must know of the config, and of options that change nothing in the layout.
std::vector<std::string> option_notes(const LayoutOptions& options, const TokenLayout& layout) {
  std::vector<std::string> notes = said_in_english(read_config_layout_options(options).notes);
  const auto counts = [](const TokenBlock& block) {
    return block.part == "text" || block.first_token > block.first_row;
  };
  const bool counted = std::any_of(layout.blocks.begin(), layout.blocks.end(), counts);
  const std::string* text = options.settings.find("text");
  if (text && read_count_layout_options("--text", *text) > 0 && !counted) {
    notes.push_back("--text changes nothing here: " + layout.name +
                    " does not rotate text tokens, and none stand before "
                    "the image.");
  }
  const int factor = find_layout(layout.name).frame_factor;
  const int frames = option_frames(options);
  if (factor > 1 && frames > 1) {
    notes.push_back(
        std::to_string(frames) + " frames of tokens are " + std::to_string((frames - 1) * factor + 1) +
        " frames of the video (" +
        (options.settings.find("frames") ? "--frames counts the first, --video-frames the second" : "--video-frames") +
        ").");
  }
  return notes;
}

}  // namespace

void add_layout_only_options(Arguments& arguments, LayoutOptions& options) {
  std::vector<LayoutField> settings = fields_of_options(false);
  arguments.option("--size", "WxH", options.size, "Size of the image in pixels");
  arguments.option("--grid", "RxC", options.grid, "Size of the image in tokens: rows x columns");
  arguments.flag("--fit", options.fit,
                 "Makes of --size what the released pipeline makes of it, as 992x672 of 1000x680");
  add_up_to("text_after", settings, arguments, options);
  arguments.every("--reference", "WxH", options.references, "Size of a reference image in pixels; may be repeated");
  arguments.every("--reference-grid", "RxC", options.references,
                  "Size of a reference image in tokens; may be repeated");
  add_up_to("frames", settings, arguments, options);
  arguments.option(
      "--video-frames", "F", options.video_frames,
      "Frames of the video itself: 81 are 21 of tokens where 4n + 1 are taken (" + layouts_with_video() + ")");
  add_up_to("patch", settings, arguments, options);
  arguments.option("--axes", "LIST", options.axes, "Axes of the layout custom: t:16,row:56,column:56");
  add_up_to({}, settings, arguments, options);
}

std::string first_layout_option(const LayoutOptions& options) {
  if (!options.references.empty()) return options.references.front().first;
  if (options.size) return "--size";
  if (options.grid) return "--grid";
  if (options.fit) return "--fit";
  for (const LayoutField& field : fields_of_options(false)) {
    if (options.settings.find(field.name)) return option_name(field);
  }
  return options.video_frames ? "--video-frames" : options.axes ? "--axes" : "";
}

std::string layout_names() {
  return joined(entry_names(all_layouts()));
}

LayoutRequest layout_request(const LayoutOptions& options) {
  LayoutRequest request = read_config_layout_options(options).request;
  read_options(options, request);
  if (!request.image && takes(find_layout(options.name), "image")) {
    throw InputError(options.name, "command.no_image_size", {});
  }
  return request;
}

LayoutRequest option_request(const LayoutOptions& options) {
  LayoutRequest request;
  read_options(options, request);
  return request;
}

// --- layout --------------------------------------------------------------------------------------------------------

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

/// The rows of a part: all, text, image, reference or audio (any of them).
std::vector<Stretch> stretches_of(const TokenLayout& layout, const std::string& part) {
  read_choice<CheckPart>("--part", part);
  std::vector<Stretch> stretches;
  for (const TokenBlock& block : layout.blocks) {
    const bool wanted =
        part == "all" || block.part == part || (part == "reference" && block.part.rfind("reference", 0) == 0);
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
  reject(option, path, csv_too ? ending_in({".csv", ".npy"}) : ending_in({".npy"}));
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
  const std::string header =
      npy ? npy_header_text(descr<Cell>(), {rows_in(stretches), std::ssize(layout.axes)}) : csv_header(layout);
  put_result(output, header, [&](std::string& piece) {
    const Stretch rows = walk.next();
    if (npy) {
      append_ids<Cell>(piece, layout, rows);
    } else {
      append_csv_layout(piece, layout, rows);
    }
  });
}

/// One of the two tables; both are computed row by row each time, which costs less than writing them.
template <class Cell>
void write_table_layout(const std::string& output, bool cosine, const LayoutTables& tables,
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
    if (*value) refuse_both("--as", name);
  }
  put_equivalent(values.output, *values.as, find_layout(values.layout.name), layout_request(values.layout));
}

void run_layout(const LayoutValues& values) {
  if (values.as) return put_words(values);
  const TokenLayout layout = arrange(find_layout(values.layout.name), layout_request(values.layout));
  const std::string dtype = values.dtype.value_or("float32");
  if (read_choice("--dtype", dtype, {"float32", "float64"}) == 0) {
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
  arguments.option("--part", "PART", values->part, "all, text, image, reference or audio (default: all)");
  arguments.option("-o,--output", "F", values->output,
                   "File of the ids: .csv or .npy (default: CSV to standard output, unless a table is written)");
  arguments.option("--cos", "C.npy", values->cosine, "File of the cosines [tokens, pairs]");
  arguments.option("--sin", "S.npy", values->sine, "File of the sines [tokens, pairs]");
  arguments.option("--dtype", "T", values->dtype, "float32 or float64, of every .npy (default: float32)");
  add_as_option(arguments, values->as);
  arguments.footer(layout_footer);
  return [values] { run_layout(*values); };
}

// --- layouts -------------------------------------------------------------------------------------------------------

namespace {

using nlohmann::ordered_json;

struct LayoutsValues {
  bool json = false;
  std::optional<std::string> output;
};

std::string layouts_axes_text(const Layout& layout) {
  if (layout.axes.empty()) return "one's own";
  return joined(layout.axes, ", ",
                [](const AxisDefault& axis) { return std::string(axis.name) + " " + std::to_string(axis.rotary_dim); });
}

std::string source_of(const Layout& layout) {
  return layout.source.empty() ? "one's own axes" : std::string(layout.source);
}

std::string layouts_table() {
  std::vector<std::vector<std::string>> rows = {{"name", "axes", "source"}};
  for (const Layout& layout : all_layouts()) {
    rows.push_back({std::string(layout.name), layouts_axes_text(layout), source_of(layout)});
  }
  return aligned(rows);
}

/// What belongs to another field is taken with it.
std::vector<std::string> fields_of(const Layout& layout) {
  std::vector<std::string> names;
  for (const LayoutField& field : layout.settings) {
    if (field.of.empty()) names.emplace_back(field.name);
  }
  return names;
}

/// What the released pipeline makes of sizes in pixels; null where none is known.
ordered_json sizes_of(const Layout& layout) {
  constexpr const char* kReferences[] = {"as they are", "shrunk to a megapixel", "scaled to a megapixel"};
  if (layout.sizes.source.empty()) return nullptr;
  return {{"refuses_unless_multiple_of", layout.sizes.multiple},
          {"scales_to_pixels", layout.sizes.pixels},
          {"rounds_down_to", layout.vae_factor * layout.patch},
          {"references", kReferences[static_cast<std::size_t>(layout.sizes.references)]},
          {"source", "huggingface/diffusers src/diffusers/" + std::string(layout.sizes.source)}};
}

/// Null where it is not known.
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
                    {"title", text.say(words_of(layout, "title"))},
                    {"axes", axes},
                    {"pairing", word_of(layout.pairing)},
                    {"pixels_per_token", layout.vae_factor * layout.patch},
                    {"vae_factor", layout.vae_factor},
                    {"patch", layout.patch},
                    {"sizes", sizes_of(layout)},
                    {"order", text.say(words_of(layout, "order"))},
                    {"ids", text.say(words_of(layout, "ids"))},
                    {"settings", fields_of(layout)},
                    {"trained", trained_json(layout.trained)},
                    {"quirk", layout.has_quirk ? text.say(words_of(layout, "quirk")) : ""},
                    {"source", source_of(layout)}});
  }
  return ordered_json{{"layouts", list}}.dump(2) + "\n";
}

}  // namespace

Action declare_layouts(Arguments& arguments) {
  const auto values = std::make_shared<LayoutsValues>();
  arguments.flag("--json", values->json, "JSON, with bases, pixels per token and rules, instead of a table");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { put_result(values->output, values->json ? layouts_json_text() : layouts_table()); };
}

// --- similarity ----------------------------------------------------------------------------------------------------

namespace {

/// Tokens whose lines are held at a time.
constexpr std::size_t kSimilarityPiece = 4096;

/// Targets up to which a picture frames them.
constexpr std::size_t kMostFramed = 64;

struct SimilarityValues {
  LayoutOptions layout;
  std::optional<std::string> from, to, against, size, theme, colours, output;
};

using Arranged = std::shared_ptr<const ArrangedLayout>;

/// The image, the layouts to look at it in, and from where to where.
struct Seen {
  Arranged shown, compared;               ///< the second null where nothing is compared
  std::int64_t first_row = 0, count = 0;  ///< of the image
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

void read_tokens(const SimilarityValues& values, Seen& seen) {
  seen.anchor = token_of("--from", *values.from, static_cast<double>(read_whole("--from", *values.from)), seen);
  if (!values.to) {
    seen.targets.resize(static_cast<std::size_t>(seen.count));
    std::iota(seen.targets.begin(), seen.targets.end(), 0);
    return;
  }
  for (const double token : parse_list(*values.to, "--to")) {
    seen.targets.push_back(token_of("--to", shortest_number(token), token, seen));
  }
}

Seen see(const SimilarityValues& values) {
  const Layout& layout = find_layout(values.layout.name);
  LayoutRequest asked = option_request(values.layout), request = layout_request(values.layout);
  const Layout* other = values.against ? &find_layout(*values.against) : nullptr;
  // Axes of one's own, heads and fields of that layout alone may be meant for the layout that is compared with.
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
  seen.shown = arranged_layout(layout, request);
  const TokenBlock& image = image_block(seen.layout());
  seen.first_row = image.first_row;
  seen.count = image.count();
  read_tokens(values, seen);
  if (other) {
    seen.compared = arranged_layout(*other, counterpart_request(seen.layout(), asked, *other));
    require_same_image(seen.layout(), seen.compared->tables->layout());
  }
  return seen;
}

/// Similarity of the tokens of an image to the anchor: the whole map, or one by one where only few are asked for.
class ImageSimilarity {
 public:
  ImageSimilarity(const LayoutTables& tables, const Seen& seen)
      : layout_(tables.layout()), first_row_(image_block(layout_).first_row), anchor_(seen.anchor) {
    // One by one a token costs about as much as some hundreds of the map.
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

/// The rows of the table: d of every axis, similarity and, where there is one, that of the other layout.
class Table {
 public:
  explicit Table(const Seen& seen)
      : seen_(seen), here_(ids_of(seen.layout(), seen.first_row + seen.anchor)), shown_(*seen.shown->tables, seen) {
    if (seen.compared) against_.emplace(*seen.compared->tables, seen);
  }

  std::int64_t columns() const { return static_cast<std::int64_t>(here_.size()) + (seen_.compared ? 2 : 1); }
  std::string csv_header() const {
    std::string header = "token";
    for (const LayoutAxis& axis : seen_.layout().axes) header += ",d_" + axis.name;
    return header + (seen_.compared ? ",similarity,against\n" : ",similarity\n");
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

void write_table_similarity(const Seen& seen, const std::optional<std::string>& output, bool npy) {
  const Table table(seen);
  const auto rows = static_cast<std::int64_t>(seen.targets.size());
  const std::string header = npy ? npy_header_text("<f8", {rows, table.columns()}) : table.csv_header();
  std::vector<double> row;
  std::size_t next = 0;
  put_result(output, header, [&](std::string& piece) {
    for (const std::size_t end = std::min(next + kSimilarityPiece, seen.targets.size()); next < end; ++next) {
      table.fill(seen.targets[next], row);
      if (npy) {
        append_npy_numbers(row, piece);
        continue;
      }
      piece += std::to_string(seen.targets[next]);
      for (const double number : row) piece += "," + shortest_number(number);
      piece += "\n";
    }
  });
}

/// One layout of a picture; of its frames that of the anchor is among those that are drawn.
SimilaritySide side_of(const Arranged& arranged, std::int64_t anchor, const Text& text) {
  const TokenLayout& layout = arranged->tables->layout();
  if (layout.row_count() > kMostSimilarityRows) {
    throw InputError("command.large_picture", {{"tokens", layout.row_count()}, {"most", kMostSimilarityRows}});
  }
  SimilarityInput input;
  input.arranged = arranged;
  input.anchor = anchor;
  const TokenBlock& image = image_block(layout);
  input.frames = shown_frames(image.frames, {static_cast<int>(anchor / image.columns / image.rows)});
  return {text["option.layout.name." + layout.name], computed<similarity_map>(input, {1}), {}, false};
}

PageSize size_of_similarity(const SimilarityValues& values, PageFormat format) {
  return read_picture_size("--picture-size", values.size, {1200, 800}, format);
}

void write_picture_similarity(const Seen& seen, const SimilarityValues& values, PageFormat format) {
  const Text text = Text::load(find_places().assets);
  SimilarityScene scene{{}, {}, {}, values.colours == "fitted", {}, {}, {}, {}, text};
  if (values.to && seen.targets.size() <= kMostFramed) scene.targets = seen.targets;
  scene.sides.push_back(side_of(seen.shown, seen.anchor, text));
  if (seen.compared) scene.sides.push_back(side_of(seen.compared, seen.anchor, text));
  ViewResult result;
  result.panels = similarity_panels(scene);
  const PageSize size = size_of_similarity(values, format);
  put_result(values.output, paint_page(result, format, size, parse_theme(values.theme.value_or("dark"))));
}

/// Wrong options are said before anything is computed.
void check_picture(const SimilarityValues& values, const std::optional<PageFormat>& format) {
  if (!format) {
    refuse_picture_options(
        {{"--picture-size", &values.size}, {"--theme", &values.theme}, {"--colours", &values.colours}});
  }
  if (values.colours) read_choice<SimilarityColours>("--colours", *values.colours);
  if (values.theme) parse_theme(*values.theme);
  if (format) size_of_similarity(values, *format);
}

void run_similarity(const SimilarityValues& values) {
  const std::string ending = values.output ? std::filesystem::path(*values.output).extension().string() : ".csv";
  const std::optional<PageFormat> format = picture_format(ending);
  if (!format && ending != ".csv" && ending != ".npy" && *values.output != "-") {
    reject("-o", *values.output, ending_in({".csv", ".npy", ".png", ".svg", ".pdf"}));
  }
  check_picture(values, format);
  const Seen seen = see(values);
  if (format) {
    write_picture_similarity(seen, values, *format);
  } else {
    write_table_similarity(seen, values.output, ending == ".npy");
  }
  for (const std::string& note : option_notes(values.layout, seen.layout())) put_notice(note);
  for (const Words& note : seen.layout().notes) put_notice(said_in_english(note));
}

std::string similarity_footer() {
  return "Layouts: " + layout_names() +
         "\n"
         "Tokens count from 0 within the image, row after row, whatever the text. The similarity is the mean over all\n"
         "pairs of cos of the difference of their angles: what q·k says of position where q and k are the same.\n"
         "--against gives that in another layout of the same patches, with those of the options that it takes.\n"
         "The .npy is float64 [tokens, columns]: the columns of the CSV without the token. A picture is that of the\n"
         "Similarity view; \"ropescope render similarity\" has more to choose.\n";
}

}  // namespace

Action declare_similarity(Arguments& arguments) {
  const auto values = std::make_shared<SimilarityValues>();
  add_layout_options(arguments, values->layout);
  arguments.option("--from", "TOKEN", values->from, "The token of the image to look from, counted from 0",
                   Arguments::Need::required);
  arguments.option("--to", "LIST", values->to, "Tokens to look at: 63,64 or 0:4095 (default: the whole image)");
  arguments.option("--against", "NAME", values->against, "Another layout to compare with, as raster");
  arguments.option("--picture-size", "1200x800", values->size, "Of a picture: pixels, or 170x110mm for SVG and PDF");
  arguments.option("--theme", "dark|light", values->theme, "Of a picture (default: dark)");
  arguments.option("--colours", "full|fitted", values->colours,
                   "Of a picture: from -1 to 1, or over the values (default: full)");
  arguments.option("-o,--output", "F", values->output,
                   "File to write: .csv, .npy, .png, .svg or .pdf (default: CSV to standard output)");
  arguments.footer(similarity_footer);
  return [values] { run_similarity(*values); };
}

}  // namespace ropescope
