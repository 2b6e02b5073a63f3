// The painter of pages: draws a scene with Cairo and Pango, for page.h and the handouts of app/lessons. Read scene.h
// first.
#pragma once

#include <cairo.h>
#include <pango/pango.h>
#include <memory>
#include <string>
#include <vector>

#include "app/figure/pages/page.h"
#include "app/figure/scene/scene.h"
#include "app/figure/text_flow.h"

namespace ropescope {

/// How the texts of a page are written.
struct PageWriting {
  std::string language = "en", family = {};  ///< the family covers the letters of the language
  std::shared_ptr<const Formulas> formulas;  ///< null: the texts contain none
  Palette palette;
  bool outlines = true;       ///< else an SVG has text and formulas as characters, drawn last
  std::string font = "sans";  ///< as PageStyle::font
};

/// A canvas that draws the items of a scene with Cairo and Pango. One unit is a pixel of a PNG, else 1/96 inch or, on
/// pages in millimetres, a point.
class PageCanvas {
 public:
  /// Creates a page; the size of a PNG is in pixels. Throws InputError if memory runs out or a font is missing.
  PageCanvas(PageFormat format, const PageSize& size, PageWriting writing);

  double width() const { return width_; }
  double height() const { return height_; }
  MeasureText measure() const;
  void fill(Colour colour);
  void draw(const Scene& scene);
  /// Moves the origin of everything drawn afterwards.
  void translate(Vec2 by);
  /// For PDF only. next_page() ends the page and starts another; set_title() and set_keywords() set the document
  /// properties; name_place() makes the top of the page a link target. Drawings between begin_link() or
  /// begin_web_link() and end_link() link to it, or to a web address. add_bookmark() adds an outline entry within
  /// another one (0: at the top level) and returns its number.
  void next_page();
  void set_title(const std::string& title);
  void set_keywords(const std::string& keywords);
  void name_place(const std::string& place);
  void begin_link(const std::string& place);
  void begin_web_link(const std::string& address);
  void end_link();
  int add_bookmark(int within, const std::string& title, const std::string& place);
  /// Ends the page; returns the file as bytes; allows no further drawing. Throws InputError if drawing failed.
  std::string finish();

 private:
  void fill_hatched(const MapPaint& paint, const Rect& rect);
  void draw_item(const PathItem& item);
  void draw_item(const BandItem& item);
  void draw_item(const RectItem& item);
  void draw_item(const DiscItem& item);
  void draw_item(const PolygonItem& item);
  void draw_item(const GradientItem& item);
  void draw_item(const MapItem& item);
  void draw_item(const PictureItem& item);
  void draw_item(const TextItem& item);
  /// Draws a part of a line from the current origin, which is on the baseline; returns its width.
  double draw_run(const TextRun& run, const TextStyle& style, const FormulaInk& ink);
  /// Adds the plain form of a formula as text that cannot be seen, as wide as the formula, for PDF.
  void hide_words(const Formula& formula, const TextStyle& style);
  void draw_item(const ClipItem& item);
  void draw_item(const UnclipItem& item);

  template <auto Free>
  struct Deleter {
    template <class T>
    void operator()(T* pointer) const {
      Free(pointer);
    }
  };
  PageFormat format_;
  PageWriting writing_;
  std::string font_names_;
  double width_ = 0, height_ = 0;
  double units_per_point_ = 1;          // SVG coordinates per unit of the scene
  double pixels_per_unit_ = 1.5;        // for pictures in vector files
  std::string words_;                   // elements of an SVG whose texts are not outlines
  std::vector<bool> sharp_pictures_;    // per picture of an SVG, in the order of drawing
  std::unique_ptr<std::string> bytes_;  // must not move: Cairo writes to it until the surface is destroyed
  std::unique_ptr<cairo_surface_t, Deleter<cairo_surface_destroy>> surface_;
  std::unique_ptr<cairo_t, Deleter<cairo_destroy>> cairo_;
  std::unique_ptr<PangoFontMap, Deleter<g_object_unref>> fonts_;
  std::unique_ptr<PangoLayout, Deleter<g_object_unref>> text_;
};

}  // namespace ropescope
