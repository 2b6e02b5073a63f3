#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/encoding_options.h"
#include "app/commands/layout_options.h"
#include "app/commands/npy_numbers.h"
#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "app/figure/page.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/views/shared/layouts.h"
#include "app/views/similarity/figures.h"
#include "core/error.h"
#include "core/formats/npy_header.h"
#include "core/layouts/counterpart.h"
#include "core/layouts/similarity.h"

namespace ropescope {

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
  throw InputError(option + " is " + text + ", but the image of " + seen.layout().name + " has the tokens 0 to " +
                   std::to_string(seen.count - 1) + " here; one of them was expected");
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
  // Axes of one's own, heads and settings of that layout alone may be meant for the layout that is compared with.
  if (other && takes(*other, "axes") && !takes(layout, "axes")) request.axes.clear();
  if (other && takes(*other, "mixed_frequencies") && !takes(layout, "mixed_frequencies")) {
    const LayoutRequest initial;
    request.head = initial.head;
    request.heads = initial.heads;
    request.seed = initial.seed;
  }
  for (const LayoutSetting& setting : other ? other->settings : std::span<const LayoutSetting>()) {
    if (!takes(layout, setting.name)) request.numbers.erase(std::string(setting.name));
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
  std::string piece = npy ? npy_header_text("<f8", {rows, table.columns()}) : table.csv_header();
  std::vector<double> row;
  std::size_t next = 0;
  bool begun = false;
  put_result(output, [&]() -> std::string_view {
    if (!std::exchange(begun, true)) return piece;
    piece.clear();
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
    return piece;
  });
}

/// One layout of a picture; of its frames that of the anchor is among those that are drawn.
SimilaritySide side_of(const Arranged& arranged, std::int64_t anchor, const Text& text) {
  const TokenLayout& layout = arranged->tables->layout();
  if (layout.row_count() > kMostSimilarityRows) {
    throw InputError("a picture of " + std::to_string(layout.row_count()) + " tokens is asked for; at most " +
                     std::to_string(kMostSimilarityRows) + " were expected");
  }
  SimilarityInput input;
  input.arranged = arranged;
  input.anchor = anchor;
  const TokenBlock& image = image_block(layout);
  input.frames = shown_frames(image.frames, {static_cast<int>(anchor / image.columns / image.rows)});
  return {text["option.layout.name." + layout.name], input.compute(1, {}), {}, false};
}

void write_picture_similarity(const Seen& seen, const SimilarityValues& values, PageFormat format) {
  const Text text = Text::load(find_places().assets);
  SimilarityScene scene{{}, {}, {}, values.colours == "fitted", {}, {}, {}, {}, text};
  if (values.to && seen.targets.size() <= kMostFramed) scene.targets = seen.targets;
  scene.sides.push_back(side_of(seen.shown, seen.anchor, text));
  if (seen.compared) scene.sides.push_back(side_of(seen.compared, seen.anchor, text));
  ViewResult result;
  result.panels = similarity_panels(scene);
  const PageSize size = values.size ? parse_page_size(*values.size) : PageSize{1200, 800};
  put_result(values.output, paint_page(result, format, size, parse_theme(values.theme.value_or("dark"))));
}

/// The format of a picture; none for a table.
std::optional<PageFormat> picture_format(const std::string& ending) {
  for (const auto& [name, format] :
       {std::pair(".png", PageFormat::png), std::pair(".svg", PageFormat::svg), std::pair(".pdf", PageFormat::pdf)}) {
    if (ending == name) return format;
  }
  return std::nullopt;
}

/// Wrong options are said before anything is computed.
void check_picture(const SimilarityValues& values, const std::optional<PageFormat>& format) {
  if (!format) {
    refuse_picture_options(
        {{"--picture-size", &values.size}, {"--theme", &values.theme}, {"--colours", &values.colours}});
  }
  if (values.colours && *values.colours != "full" && *values.colours != "fitted") {
    reject("--colours", *values.colours, "full or fitted");
  }
  if (values.theme) parse_theme(*values.theme);
  if (values.size && parse_page_size(*values.size).millimetres && format == PageFormat::png) {
    throw InputError("--picture-size is " + *values.size + "; a PNG has a size in pixels such as 1200x800");
  }
}

void run_similarity(const SimilarityValues& values) {
  const std::string ending = values.output ? std::filesystem::path(*values.output).extension().string() : ".csv";
  const std::optional<PageFormat> format = picture_format(ending);
  if (!format && ending != ".csv" && ending != ".npy" && *values.output != "-") {
    reject("-o", *values.output, "a name that ends in .csv, .npy, .png, .svg or .pdf");
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
