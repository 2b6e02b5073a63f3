// Drawing of scene items with Cairo and Pango: paths, maps, pictures and text.
//
// Contents: Canvas; Maps; Pictures.

#include "app/figure/pages/page_canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <pango/pangocairo.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "app/figure/pages/page.h"
#include "app/resources/text.h"
#include "core/message.h"

namespace ropescope {

// --- Canvas --------------------------------------------------------------------------------------------------------

namespace {

/// Sets the colour of later drawing.
void set_colour(cairo_t* cairo, Colour colour) {
  cairo_set_source_rgba(cairo, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0, colour.alpha / 255.0);
}

constexpr double kPointsPerMillimetre = 72 / 25.4;
constexpr double kPointsPerPixel = 0.75;

constexpr const char *kSans = "sans", *kSerif = "serif";

std::string lower_ascii_of_font(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
  return text;
}

/// Returns the family as installed, ignoring case. Throws InputError with similar names.
std::string find_installed_family(const std::string& font) {
  const std::vector<std::string> families = font_families();
  const auto found = std::find_if(families.begin(), families.end(), [&font](const std::string& family) {
    return lower_ascii_of_font(family) == lower_ascii_of_font(font);
  });
  if (found != families.end()) return *found;
  std::vector<std::string> known = nearest_words(font, families);
  known.insert(known.begin(), {kSans, kSerif});
  throw InputError("page.no_family", {{"found", "\"" + font + "\""}, {"expected", one_of(known)}});
}

/// Returns the fonts for Latin letters, symbols, then the language's letters (in the family `letters`, if any).
std::string fonts_with(const std::string& letters, const std::string& font) {
  const std::string more = letters.empty() ? "" : letters + ", ";
  const std::string sans = "Inter, Noto Sans, DejaVu Sans, " + more + "sans-serif";
  if (font == kSans) return sans;
  if (font != kSerif) return find_installed_family(font) + ", " + sans;
  std::string serifs = more;
  if (const std::size_t at = serifs.find("Sans"); at != std::string::npos) serifs.replace(at, 4, "Serif");
  return "Noto Serif, DejaVu Serif, " + serifs + "serif, " + more + "sans-serif";
}

/// Returns fonts in CSS form: user font names may contain special characters.
std::string css_fonts(const std::string& fonts) {
  std::string quoted = "'" + fonts;
  quoted.insert(quoted.find(',', 1), "'");
  return fonts.find('\'') < fonts.find(',') ? fonts : quoted;
}

cairo_status_t append_page_canvas(void* closure, const unsigned char* data, unsigned length) {
  try {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  } catch (const std::bad_alloc&) {
    // Cairo is not exception-safe.
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

/// Throws if drawing failed: Cairo keeps the first error and silently draws nothing more.
void require_drawn(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw InputError("page.not_drawn", {{"why", cairo_status_to_string(status)}});
}

/// Throws if a font cannot be loaded, which would else fail at the first text.
void require_font(PangoContext* context, const char* fonts) {
  PangoFontDescription* wanted = pango_font_description_from_string(fonts);
  pango_font_description_set_absolute_size(wanted, 12 * PANGO_SCALE);
  PangoFont* font = pango_context_load_font(context, wanted);
  pango_font_description_free(wanted);
  cairo_scaled_font_t* scaled =
      font != nullptr && PANGO_IS_CAIRO_FONT(font) ? pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(font)) : nullptr;
  const bool usable = scaled != nullptr && cairo_scaled_font_status(scaled) == CAIRO_STATUS_SUCCESS;
  if (font != nullptr) g_object_unref(font);
  if (usable) return;
  throw InputError("page.no_font", {{"fonts", fonts}});
}

constexpr const char* kMonospaced = "DejaVu Sans Mono,monospace";

/// Returns the extent of a line from the start of its baseline.
FormulaBox shape(PangoLayout* layout, const char* fonts, std::string_view text, const TextStyle& style) {
  PangoFontDescription* font =
      pango_font_description_from_string(style.weight == FontWeight::mono ? kMonospaced : fonts);
  pango_font_description_set_weight(font,
                                    style.weight == FontWeight::semibold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
  pango_font_description_set_absolute_size(font, style.size * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  pango_layout_set_text(layout, text.data(), static_cast<int>(text.size()));
  PangoRectangle logical;
  pango_layout_get_extents(layout, nullptr, &logical);
  const double baseline = pango_layout_get_baseline(layout);
  return {logical.width / static_cast<double>(PANGO_SCALE), baseline / PANGO_SCALE,
          (logical.height - baseline) / PANGO_SCALE};
}

/// Returns the extent of a line with formulas from the start of its baseline.
FormulaBox shape_runs(PangoLayout* layout, const char* fonts, const std::vector<TextRun>& runs,
                      const TextStyle& style) {
  if (runs.size() == 1 && !runs.front().formula) return shape(layout, fonts, runs.front().words, style);
  FormulaBox whole = shape(layout, fonts, "", style);
  for (const TextRun& run : runs) {
    const FormulaBox box = run.formula ? formula_box(*run.formula, style.size) : shape(layout, fonts, run.words, style);
    whole.width += box.width;
    whole.ascent = std::max(whole.ascent, box.ascent);
    whole.descent = std::max(whole.descent, box.descent);
  }
  return whole;
}

cairo_surface_t* new_surface(PageFormat format, const PageSize& size, std::string* bytes) {
  if (format == PageFormat::png) {
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(size.width), static_cast<int>(size.height));
  }
  if (format == PageFormat::svg) {
    cairo_surface_t* surface = cairo_svg_surface_create_for_stream(append_page_canvas, bytes, size.width, size.height);
    cairo_svg_surface_set_document_unit(surface, size.millimetres ? CAIRO_SVG_UNIT_MM : CAIRO_SVG_UNIT_PX);
    return surface;
  }
  const double points = size.millimetres ? kPointsPerMillimetre : kPointsPerPixel;
  cairo_surface_t* surface =
      cairo_pdf_surface_create_for_stream(append_page_canvas, bytes, size.width * points, size.height * points);
  // With a later version Cairo compresses the document's keywords, and the experiment could not be found in them.
  cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
  // Fixed date: equal input must give equal bytes.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "ropescope");
  return surface;
}

/// Escapes a text for the quotes of an attribute.
std::string quotable(std::string text) {
  std::erase_if(text, [](char c) { return c == '\'' || c == '\\'; });
  return text;
}

/// Returns the digits at a place of the text.
std::string_view digits_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  return std::string_view(text).substr(at, end - at);
}

/// Renumbers surfaces and pictures from 1, in order and with the same names in every Cairo version: Cairo numbers them
/// across the process. Also marks enlarged pictures as sharp: Cairo does not record that their cells have edges.
void tidy_svg(std::string& svg, const std::vector<bool>& sharp_pictures) {
  std::map<std::string, std::string, std::less<>> names;  // by Cairo's number
  std::size_t images = 0;
  std::string tidy;
  std::size_t done = 0;
  for (std::size_t at = svg.find('"'); at != std::string::npos; at = svg.find('"', at + 1)) {
    // Cairo 1.16 writes "image5", from 1.18 on "source-5", and so for groups.
    for (const std::string_view quoted : {"\"surface", "\"image", "\"#image", "\"source-", "\"#source-"}) {
      if (svg.compare(at, quoted.size(), quoted) != 0) continue;
      const std::string_view digits = digits_at(svg, at + quoted.size());
      const std::size_t end = at + quoted.size() + digits.size();
      if (digits.empty() || end >= svg.size() || svg[end] != '"') continue;
      tidy.append(svg, done, at + 1 - done);
      done = end;
      if (quoted == "\"surface") {
        tidy += "page";
        continue;
      }
      constexpr std::string_view kPicture = "<image id=";
      const bool picture = at >= kPicture.size() && svg.compare(at - kPicture.size(), kPicture.size(), kPicture) == 0;
      std::string& name = names[std::string(digits)];
      if (name.empty()) name = picture ? "image" + std::to_string(images + 1) : "group" + std::to_string(names.size());
      if (quoted[1] == '#') tidy += '#';
      tidy += name;
      if (!picture) continue;
      if (images < sharp_pictures.size() && sharp_pictures[images]) {
        tidy += "\" image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated";
      }
      ++images;
    }
  }
  tidy.append(svg, done, std::string::npos);
  svg = std::move(tidy);
}

// --- Maps ----------------------------------------------------------------------------------------------------------

constexpr double kMaxCells = 1280;     ///< maximum of a picture in a vector file, per side; more are averaged
constexpr double kSharpPicture = 600;  ///< minimum pixels of enlarged pictures: viewers may blur what they enlarge

/// Colours as a Cairo picture; with transparency only where some pixel needs it. Pixels are opaque or fully
/// transparent.
cairo_surface_t* picture_of(const std::vector<Colour>& pixels, int width, int height, bool holes) {
  cairo_surface_t* surface =
      cairo_image_surface_create(holes ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24, width, height);
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) return surface;
  const int stride = cairo_image_surface_get_stride(surface);
  unsigned char* data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Colour& c =
          pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
      const std::uint32_t packed = c.alpha == 0 ? 0
                                                : 0xff000000u | static_cast<std::uint32_t>(c.red) << 16 |
                                                      static_cast<std::uint32_t>(c.green) << 8 | c.blue;
      std::memcpy(data + y * stride + 4 * x, &packed, 4);
    }
  }
  cairo_surface_mark_dirty(surface);
  return surface;
}

/// The visible cells in one direction: [first, last), and their pixels.
struct Extent {
  double first = 0, last = 0;
  int pixels = 0;
};

Extent extent_of(double from, double to, std::size_t cells, double most) {
  Extent extent;
  const double count = static_cast<double>(cells);
  extent.first = std::clamp(std::floor(std::min(from, to)), 0.0, count - 1);
  extent.last = std::clamp(std::ceil(std::max(from, to)), extent.first + 1, count);
  const double shown = extent.last - extent.first, limit = std::clamp(most, 64.0, kMaxCells);
  const double each = shown > limit ? 1 : std::max(1.0, std::ceil(kSharpPicture / shown));
  extent.pixels = static_cast<int>(std::min(shown, std::ceil(limit)) * each);
  return extent;
}

/// A picture of whole cells for a vector file, and its place.
struct CellPicture {
  MapWindow window;
  Rect at;
  bool sharp = true;  ///< no cells were averaged
};

CellPicture cell_picture(const MapItem& item, const MapWindow& shown, double pixels_per_unit) {
  CellPicture picture;
  picture.window = shown;
  MapWindow& window = picture.window;
  const double right = shown.first_column + shown.width * shown.column_step;
  const double bottom = shown.first_row + shown.height * shown.row_step;
  const Extent x = extent_of(shown.first_column, right, item.cells->columns, pixels_per_unit * shown.width);
  const Extent y = extent_of(shown.first_row, bottom, item.cells->rows, pixels_per_unit * shown.height);
  const double cell_width = item.rect.width / static_cast<double>(item.cells->columns);
  const double cell_height = item.rect.height / static_cast<double>(item.cells->rows);
  picture.sharp = x.pixels >= x.last - x.first && y.pixels >= y.last - y.first;
  window.width = x.pixels;
  window.height = y.pixels;
  window.column_step = (x.last - x.first) / x.pixels * (item.flip_x ? -1 : 1);
  window.first_column = item.flip_x ? x.last : x.first;
  window.row_step = (y.last - y.first) / y.pixels * (item.flip_y ? -1 : 1);
  window.first_row = item.flip_y ? y.last : y.first;
  const double left = item.flip_x ? static_cast<double>(item.cells->columns) - x.last : x.first;
  const double top = item.flip_y ? static_cast<double>(item.cells->rows) - y.last : y.first;
  picture.at = {item.rect.left + left * cell_width, item.rect.top + top * cell_height, (x.last - x.first) * cell_width,
                (y.last - y.first) * cell_height};
  return picture;
}

// --- Pictures ------------------------------------------------------------------------------------------------------

/// Returns pixels in Cairo's form: 0xAARRGGBB, premultiplied. The opacity is included because not every file format has
/// a separate one.
cairo_surface_t* surface_of(const Pixels& pixels, double opacity) {
  cairo_surface_t* surface =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(pixels.columns), static_cast<int>(pixels.rows));
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) return surface;
  cairo_surface_flush(surface);
  unsigned char* data = cairo_image_surface_get_data(surface);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  for (std::size_t row = 0; row < pixels.rows; ++row) {
    const std::uint8_t* from = pixels.values.data() + 4 * row * pixels.columns;
    for (std::size_t column = 0; column < pixels.columns; ++column, from += 4) {
      const auto alpha = static_cast<std::uint32_t>(std::lround(from[3] * opacity));
      const auto times_alpha = [alpha](std::uint8_t channel) { return (channel * alpha + 127) / 255; };
      const std::uint32_t word =
          alpha << 24 | times_alpha(from[0]) << 16 | times_alpha(from[1]) << 8 | times_alpha(from[2]);
      std::memcpy(data + row * stride + 4 * column, &word, sizeof word);
    }
  }
  cairo_surface_mark_dirty(surface);
  return surface;
}

/// Returns the surface with fewer pixels, each the mean of those that it covers.
cairo_surface_t* reduced(cairo_surface_t* surface, int columns, int rows) {
  cairo_surface_t* smaller = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows);
  cairo_t* cairo = cairo_create(smaller);
  cairo_scale(cairo, static_cast<double>(columns) / cairo_image_surface_get_width(surface),
              static_cast<double>(rows) / cairo_image_surface_get_height(surface));
  cairo_set_source_surface(cairo, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
  cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE);
  cairo_paint(cairo);
  cairo_destroy(cairo);
  return smaller;
}

}  // namespace

std::vector<std::string> font_families() {
  PangoFontMap* map = pango_cairo_font_map_new();
  PangoFontFamily** families = nullptr;
  int count = 0;
  pango_font_map_list_families(map, &families, &count);
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(pango_font_family_get_name(families[i]));
  g_free(families);
  g_object_unref(map);
  // A comma would split the name.
  std::erase_if(names, [](const std::string& name) { return name.find(',') != std::string::npos; });
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> page_formats() {
  return {"svg", "pdf", "png"};
}

PageCanvas::PageCanvas(PageFormat format, const PageSize& size, PageWriting writing)
    : format_(format),
      writing_(std::move(writing)),
      font_names_(fonts_with(writing_.family, writing_.font)),
      width_(size.width),
      height_(size.height),
      bytes_(std::make_unique<std::string>()) {
  surface_.reset(new_surface(format, size, bytes_.get()));
  cairo_.reset(cairo_create(surface_.get()));
  if (cairo_status(cairo_.get()) != CAIRO_STATUS_SUCCESS) {
    throw InputError("page.no_memory",
                     {{"width", static_cast<int>(size.width)}, {"height", static_cast<int>(size.height)}});
  }
  if (size.millimetres) {
    pixels_per_unit_ = 3.5;  // 250 dots per inch
    width_ *= kPointsPerMillimetre;
    height_ *= kPointsPerMillimetre;
    if (format == PageFormat::svg) units_per_point_ = 1 / kPointsPerMillimetre;
    cairo_scale(cairo_.get(), units_per_point_, units_per_point_);
  } else if (format == PageFormat::pdf) {
    cairo_scale(cairo_.get(), kPointsPerPixel, kPointsPerPixel);
  }
  // Unhinted, so a text has the same width in every format and on every machine.
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  // A separate font map: Pango's default one is never freed, and differs between threads.
  fonts_.reset(pango_cairo_font_map_new());
  PangoContext* context = pango_font_map_create_context(fonts_.get());
  pango_cairo_update_context(cairo_.get(), context);
  // Texts are measured in scene units, whatever their size on the page: with a matrix Pango would give the height of an
  // empty line in page units.
  pango_context_set_matrix(context, nullptr);
  pango_cairo_context_set_font_options(context, options);
  pango_cairo_context_set_resolution(context, 72);
  pango_context_set_round_glyph_positions(context, FALSE);
  pango_context_set_language(context, pango_language_from_string(writing_.language.c_str()));
  text_.reset(pango_layout_new(context));
  g_object_unref(context);
  cairo_font_options_destroy(options);
  require_font(context, font_names_.c_str());
  PangoAttrList* attributes = pango_attr_list_new();
  pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
  pango_layout_set_attributes(text_.get(), attributes);
  pango_attr_list_unref(attributes);
}

MeasureText PageCanvas::measure() const {
  return [layout = text_.get(), fonts = font_names_.c_str(), formulas = writing_.formulas](std::string_view text,
                                                                                           const TextStyle& style) {
    const FormulaBox line = shape_runs(layout, fonts, runs_of(text, formulas.get()), style);
    return Vec2{line.width, line.ascent + line.descent};
  };
}

void PageCanvas::fill(Colour colour) {
  set_colour(cairo_.get(), colour);
  cairo_paint(cairo_.get());
}

void PageCanvas::draw(const Scene& scene) {
  for (const SceneItem& item : scene.items) {
    std::visit([this](const auto& one) { draw_item(one); }, item);
  }
}

void PageCanvas::draw_item(const PathItem& item) {
  if (item.points.size() < 2) return;
  cairo_t* cairo = cairo_.get();
  double width = item.width;
  const Vec2 a = item.points[0], b = item.points[1];
  const bool straight = item.points.size() == 2 && (a.x == b.x || a.y == b.y);
  Vec2 shift;
  if (format_ == PageFormat::png && straight) {
    // Grid lines and rules are at whole pixels, or they would be twice as wide and half as strong.
    width = std::max(1.0, std::round(width));
    const double centre = std::fmod(width, 2) / 2;
    if (a.x == b.x) shift.x = std::floor(a.x - centre + 0.5) + centre - a.x;
    if (a.y == b.y) shift.y = std::floor(a.y - centre + 0.5) + centre - a.y;
  }
  const std::vector<double> dashes = dash_pattern(item.dash, width);
  cairo_set_dash(cairo, dashes.data(), static_cast<int>(dashes.size()), 0);
  cairo_set_line_width(cairo, width);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_BUTT);
  set_colour(cairo, item.colour);
  cairo_new_path(cairo);
  for (const Vec2& p : item.points) cairo_line_to(cairo, p.x + shift.x, p.y + shift.y);
  cairo_stroke(cairo);
}

void PageCanvas::draw_item(const BandItem& item) {
  if (item.xs.size() < 2) return;
  cairo_t* cairo = cairo_.get();
  set_colour(cairo, item.colour);
  cairo_new_path(cairo);
  for (std::size_t i = 0; i < item.xs.size(); ++i) cairo_line_to(cairo, item.xs[i], item.tops[i]);
  for (std::size_t i = item.xs.size(); i-- > 0;) cairo_line_to(cairo, item.xs[i], item.bottoms[i]);
  cairo_close_path(cairo);
  cairo_fill(cairo);
}

void PageCanvas::draw_item(const RectItem& item) {
  cairo_t* cairo = cairo_.get();
  const Rect& r = item.rect;
  const double radius = std::min({item.radius, r.width / 2, r.height / 2});
  set_colour(cairo, item.fill);
  cairo_new_path(cairo);
  if (radius > 0) {
    const double quarter = std::acos(0.0);
    cairo_arc(cairo, r.right() - radius, r.top + radius, radius, -quarter, 0);
    cairo_arc(cairo, r.right() - radius, r.bottom() - radius, radius, 0, quarter);
    cairo_arc(cairo, r.left + radius, r.bottom() - radius, radius, quarter, 2 * quarter);
    cairo_arc(cairo, r.left + radius, r.top + radius, radius, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo);
  } else {
    cairo_rectangle(cairo, r.left, r.top, r.width, r.height);
  }
  cairo_fill(cairo);
}

void PageCanvas::draw_item(const DiscItem& item) {
  set_colour(cairo_.get(), item.fill);
  cairo_new_path(cairo_.get());
  cairo_arc(cairo_.get(), item.centre.x, item.centre.y, item.radius, 0, 4 * std::acos(0.0));
  cairo_fill(cairo_.get());
}

void PageCanvas::draw_item(const TextItem& item) {
  const Rect box = box_of(item, measure());
  cairo_t* cairo = cairo_.get();
  const std::vector<TextRun> runs = runs_of(item.text, writing_.formulas.get());
  const double reach = shape_runs(text_.get(), font_names_.c_str(), runs, item.style).ascent;
  const double ascent = item.own_line ? shape(text_.get(), font_names_.c_str(), "", item.style).ascent : reach;
  const FormulaInk ink = formula_ink(writing_.palette, item.colour, item.style.weight == FontWeight::semibold);
  const Vec2 corner{box.left, item.vertical ? box.bottom() : box.top};
  const bool as_words = format_ == PageFormat::svg && !writing_.outlines;
  std::vector<SvgRun> words;
  std::vector<HiddenWords> hidden_words;
  double along = 0;
  bool follows = false;
  for (const TextRun& run : runs) {
    // A formula that letters cannot express is drawn among them.
    if (as_words && (!run.formula || letters_of(run.formula->tex))) {
      words.push_back({follows ? std::nullopt : std::optional(along), run});
      follows = true;
      along += shape_runs(text_.get(), font_names_.c_str(), {run}, item.style).width;
      continue;
    }
    cairo_save(cairo);
    cairo_translate(cairo, corner.x, corner.y);
    if (item.vertical) cairo_rotate(cairo, -std::acos(0.0));
    cairo_translate(cairo, along, ascent);
    const double width = draw_run(run, item.style, ink);
    if (run.formula && as_words) hidden_words.push_back({along, run.formula->plain, width});
    along += width;
    cairo_restore(cairo);
    follows = false;
  }
  const std::string fonts = writing_.font == kSans ? font_names_ : css_fonts(font_names_);
  if (!words.empty()) words_ += svg_text(item, corner, ascent, fonts, words, ink);
  for (const HiddenWords& hidden : hidden_words) words_ += hidden_svg_text(item, corner, ascent, fonts, hidden);
}

void PageCanvas::hide_words(const Formula& formula, const TextStyle& style) {
  cairo_t* cairo = cairo_.get();
  const FormulaBox box = formula_box(formula, style.size);
  const FormulaBox words = shape(text_.get(), font_names_.c_str(), formula.plain, style);
  if (formula.plain.empty() || !(words.width > 0 && box.width > 0)) return;
  cairo_save(cairo);
  // Text that is drawn through two holes too small to be seen, in opposite corners, can still be found and copied:
  // Cairo leaves out only text outside their common box. It rounds to 1/256.
  constexpr double kHole = 0.02;
  for (const Vec2 corner : {Vec2{-kHole, -words.ascent}, Vec2{box.width, words.descent}}) {
    cairo_move_to(cairo, corner.x, corner.y);
    cairo_line_to(cairo, corner.x + kHole, corner.y);
    cairo_line_to(cairo, corner.x, corner.y + kHole);
    cairo_close_path(cairo);
  }
  cairo_clip(cairo);
  cairo_scale(cairo, box.width / words.width, 1);
  cairo_move_to(cairo, 0, -words.ascent);
  pango_cairo_show_layout(cairo, text_.get());
  cairo_restore(cairo);
}

double PageCanvas::draw_run(const TextRun& run, const TextStyle& style, const FormulaInk& ink) {
  cairo_t* cairo = cairo_.get();
  if (run.formula) {
    draw_formula(cairo, *run.formula, style.size, ink);
    if (format_ == PageFormat::pdf) hide_words(*run.formula, style);
    return formula_box(*run.formula, style.size).width;
  }
  const FormulaBox box = shape(text_.get(), font_names_.c_str(), run.words, style);
  set_colour(cairo, ink.text);
  cairo_move_to(cairo, 0, -box.ascent);
  if (format_ == PageFormat::png) {
    // Glyphs are drawn as outlines: Cairo's image surface would round the place of every glyph to a whole pixel.
    pango_cairo_layout_path(cairo, text_.get());
    cairo_fill(cairo);
  } else {
    pango_cairo_show_layout(cairo, text_.get());
  }
  return box.width;
}

void PageCanvas::draw_item(const ClipItem& item) {
  cairo_save(cairo_.get());
  cairo_rectangle(cairo_.get(), item.rect.left, item.rect.top, item.rect.width, item.rect.height);
  cairo_clip(cairo_.get());
}

void PageCanvas::draw_item(const UnclipItem&) {
  cairo_restore(cairo_.get());
}

void PageCanvas::translate(Vec2 by) {
  cairo_translate(cairo_.get(), by.x, by.y);
}

void PageCanvas::next_page() {
  cairo_show_page(cairo_.get());
}

void PageCanvas::set_title(const std::string& title) {
  if (format_ == PageFormat::pdf)
    cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
}

void PageCanvas::set_keywords(const std::string& keywords) {
  if (format_ == PageFormat::pdf)
    cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_KEYWORDS, keywords.c_str());
}

void PageCanvas::name_place(const std::string& place) {
  cairo_tag_begin(cairo_.get(), CAIRO_TAG_DEST, ("name='" + quotable(place) + "' x=0 y=0").c_str());
  cairo_tag_end(cairo_.get(), CAIRO_TAG_DEST);
}

void PageCanvas::begin_link(const std::string& place) {
  cairo_tag_begin(cairo_.get(), CAIRO_TAG_LINK, ("dest='" + quotable(place) + "'").c_str());
}

void PageCanvas::begin_web_link(const std::string& address) {
  cairo_tag_begin(cairo_.get(), CAIRO_TAG_LINK, ("uri='" + quotable(address) + "'").c_str());
}

void PageCanvas::end_link() {
  cairo_tag_end(cairo_.get(), CAIRO_TAG_LINK);
}

int PageCanvas::add_bookmark(int within, const std::string& title, const std::string& place) {
  if (format_ != PageFormat::pdf) return 0;
  return cairo_pdf_surface_add_outline(surface_.get(), within, title.c_str(),
                                       ("dest='" + quotable(place) + "'").c_str(), CAIRO_PDF_OUTLINE_FLAG_OPEN);
}

std::string PageCanvas::finish() {
  if (format_ == PageFormat::png) {
    cairo_surface_flush(surface_.get());
    require_drawn(cairo_status(cairo_.get()));
    require_drawn(cairo_surface_write_to_png_stream(surface_.get(), append_page_canvas, bytes_.get()));
  } else {
    cairo_show_page(cairo_.get());
    require_drawn(cairo_status(cairo_.get()));
  }
  cairo_surface_finish(surface_.get());
  require_drawn(cairo_surface_status(surface_.get()));
  if (format_ == PageFormat::svg) tidy_svg(*bytes_, sharp_pictures_);
  if (!words_.empty()) add_svg_words(*bytes_, words_, units_per_point_);
  return std::move(*bytes_);
}

void PageCanvas::fill_hatched(const MapPaint& paint, const Rect& rect) {
  cairo_t* cairo = cairo_.get();
  const double period = paint.hatch_period;
  set_colour(cairo, paint.ground);
  cairo_rectangle(cairo, rect.left, rect.top, rect.width, rect.height);
  cairo_fill(cairo);
  set_colour(cairo, paint.hatch);
  cairo_set_dash(cairo, nullptr, 0, 0);
  cairo_set_line_width(cairo, period / 7);
  for (double at = period / 2; at < rect.width + rect.height; at += period) {
    cairo_move_to(cairo, rect.left + at, rect.top);
    cairo_line_to(cairo, rect.left + at - rect.height, rect.bottom());
  }
  cairo_stroke(cairo);
}

void PageCanvas::draw_item(const MapItem& item) {
  Rect at;
  MapWindow window = window_of(item, at);
  if (!window.cells) return;
  const bool pixels = format_ == PageFormat::png;
  bool sharp = true;
  if (!pixels) {
    // The picture has the cells' resolution, however the page is enlarged.
    const CellPicture picture = cell_picture(item, window, pixels_per_unit_);
    sharp = picture.sharp;
    sharp_pictures_.push_back(sharp);
    window = picture.window;
    at = picture.at;
  }
  const std::vector<Colour> colours = paint_window(window, pixels ? Holes::hatched : Holes::transparent);
  const bool holes = std::any_of(colours.begin(), colours.end(), [](Colour c) { return c.alpha == 0; });
  cairo_t* cairo = cairo_.get();
  cairo_surface_t* surface = picture_of(colours, window.width, window.height, holes);
  cairo_save(cairo);
  if (!pixels) {
    const Rect& clip = item.clip;
    cairo_rectangle(cairo, clip.left, clip.top, clip.width, clip.height);
    cairo_clip(cairo);
    cairo_rectangle(cairo, at.left, at.top, at.width, at.height);
    cairo_clip(cairo);
    if (holes) fill_hatched(item.paint, at);
  }
  cairo_translate(cairo, at.left, at.top);
  cairo_scale(cairo, at.width / window.width, at.height / window.height);
  cairo_set_source_surface(cairo, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), sharp ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_paint(cairo);
  cairo_restore(cairo);
  cairo_surface_destroy(surface);
}

void PageCanvas::draw_item(const GradientItem& item) {
  if (item.colours.size() < 2 || !(item.rect.height > 0)) return;
  cairo_t* cairo = cairo_.get();
  cairo_pattern_t* pattern = cairo_pattern_create_linear(0, item.rect.bottom(), 0, item.rect.top);
  const double steps = static_cast<double>(item.colours.size() - 1);
  for (std::size_t i = 0; i < item.colours.size(); ++i) {
    const Colour& c = item.colours[i];
    cairo_pattern_add_color_stop_rgba(pattern, static_cast<double>(i) / steps, c.red / 255.0, c.green / 255.0,
                                      c.blue / 255.0, c.alpha / 255.0);
  }
  cairo_set_source(cairo, pattern);
  cairo_pattern_destroy(pattern);
  cairo_rectangle(cairo, item.rect.left, item.rect.top, item.rect.width, item.rect.height);
  cairo_fill(cairo);
}

void PageCanvas::draw_item(const PolygonItem& item) {
  cairo_t* cairo = cairo_.get();
  set_colour(cairo, item.fill);
  cairo_new_path(cairo);
  for (const Vec2& p : item.points) cairo_line_to(cairo, p.x, p.y);
  cairo_close_path(cairo);
  cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING);
  cairo_fill(cairo);
}

void PageCanvas::draw_item(const PictureItem& item) {
  cairo_surface_t* surface = surface_of(*item.pixels, item.opacity);
  const auto needed = [this](double length, std::size_t pixels) {
    const double wanted = std::ceil(length * (format_ == PageFormat::png ? 1 : 2 * pixels_per_unit_));
    return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(pixels)));
  };
  int columns = needed(item.rect.width, item.pixels->columns), rows = needed(item.rect.height, item.pixels->rows);
  if (columns < static_cast<int>(item.pixels->columns) || rows < static_cast<int>(item.pixels->rows)) {
    cairo_surface_t* smaller = reduced(surface, columns, rows);
    cairo_surface_destroy(surface);
    surface = smaller;
  }
  if (format_ != PageFormat::png) sharp_pictures_.push_back(false);
  cairo_t* cairo = cairo_.get();
  cairo_save(cairo);
  cairo_rectangle(cairo, item.clip.left, item.clip.top, item.clip.width, item.clip.height);
  cairo_clip(cairo);
  cairo_translate(cairo, item.flip_x ? item.rect.right() : item.rect.left,
                  item.flip_y ? item.rect.bottom() : item.rect.top);
  cairo_scale(cairo, (item.flip_x ? -1 : 1) * item.rect.width / columns,
              (item.flip_y ? -1 : 1) * item.rect.height / rows);
  cairo_set_source_surface(cairo, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
  cairo_rectangle(cairo, 0, 0, columns, rows);
  cairo_fill(cairo);
  cairo_restore(cairo);
  cairo_surface_destroy(surface);
}

}  // namespace ropescope
