#include "app/figure/page_canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "app/figure/svg_words.h"
#include "core/error.h"

namespace ropescope {

void set_colour(cairo_t* cairo, Colour colour) {
  cairo_set_source_rgba(cairo, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0, colour.alpha / 255.0);
}

namespace {

constexpr double kPointsPerMillimetre = 72 / 25.4;
constexpr double kPointsPerPixel = 0.75;

/// Latin letters, signs, then the letters of the language.
std::string fonts_with(const std::string& font) {
  return "Inter, Noto Sans, DejaVu Sans, " + (font.empty() ? "" : font + ", ") + "sans-serif";
}

cairo_status_t append_page_canvas(void* closure, const unsigned char* data, unsigned length) {
  try {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  } catch (const std::bad_alloc&) {
    // Cairo is not written for exceptions.
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

/// Cairo keeps the first thing that went wrong and draws nothing more, without a word.
void require_drawn(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw InputError("page.not_drawn", {{"why", cairo_status_to_string(status)}});
}

/// A font that cannot be loaded would be such a thing, at the first text.
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

/// How far a line reaches from the beginning of its baseline.
FormulaBox shape(PangoLayout* layout, const char* fonts, std::string_view text, const TextStyle& style) {
  PangoFontDescription* font = pango_font_description_from_string(fonts);
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

/// The same of a text with formulas.
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
  // A later version lets Cairo compress the document's keywords, and nobody could find the experiment in them.
  cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
  // A file tells what is in it, not when it was made: same input, same bytes.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "ropescope");
  return surface;
}

/// What may stand between the quotes of an attribute.
std::string quotable(std::string text) {
  std::erase_if(text, [](char c) { return c == '\'' || c == '\\'; });
  return text;
}

/// The number after `prefix` at a place of the text.
std::string_view digits_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  return std::string_view(text).substr(at, end - at);
}

/// Cairo numbers its surfaces and pictures through the life of the process: here from 1 on, in their order and under
/// the same names, whatever its version. And it does not say that the cells of an enlarged picture have edges.
void tidy_svg(std::string& svg, const std::vector<bool>& sharp_pictures) {
  std::map<std::string, std::string, std::less<>> names;  // by the number that Cairo gave
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

}  // namespace

PageCanvas::PageCanvas(PageFormat format, const PageSize& size, PageWriting writing)
    : format_(format),
      writing_(std::move(writing)),
      font_names_(fonts_with(writing_.family)),
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
  // Unhinted, so that a text is equally wide in every format and on every machine.
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  // A font map of its own: Pango's default one is never freed, and is another one in every thread.
  fonts_.reset(pango_cairo_font_map_new());
  PangoContext* context = pango_font_map_create_context(fonts_.get());
  pango_cairo_update_context(cairo_.get(), context);
  // Texts are measured in units of the scene, whatever their size on the page: Pango would give the height of a line
  // without letters in units of the page instead.
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
    // Grid lines and rules lie on whole pixels, or they would be twice as wide and half as strong.
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
  double along = 0;
  bool follows = false;
  for (const TextRun& run : runs) {
    // A formula that no letters say is drawn in its place among them.
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
    along += draw_run(run, item.style, ink);
    cairo_restore(cairo);
    follows = false;
  }
  if (!words.empty()) words_ += svg_text(item, corner, ascent, font_names_, words, ink);
}

double PageCanvas::draw_run(const TextRun& run, const TextStyle& style, const FormulaInk& ink) {
  cairo_t* cairo = cairo_.get();
  if (run.formula) {
    draw_formula(cairo, *run.formula, style.size, ink);
    return formula_box(*run.formula, style.size).width;
  }
  const FormulaBox box = shape(text_.get(), font_names_.c_str(), run.words, style);
  set_colour(cairo, ink.text);
  cairo_move_to(cairo, 0, -box.ascent);
  if (format_ == PageFormat::png) {
    // As outlines: Cairo's image surface would round the place of every glyph to a whole pixel.
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

}  // namespace ropescope
