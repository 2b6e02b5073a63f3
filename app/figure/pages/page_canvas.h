// The painter of pages: a scene by Cairo and Pango. page.h and the handouts of app/lessons draw with it. Read scene.h
// before.
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

/// What the texts of a page are written with.
struct PageWriting {
  std::string language = "en", family = {};  ///< the family has the letters of the language
  std::shared_ptr<const Formulas> formulas;  ///< null: there are none in the texts
  Palette palette;
  bool outlines = true;       ///< else an SVG holds its texts as such, over everything else, formulas as letters
  std::string font = "sans";  ///< as PageStyle::font
};

/// Walks the items of a scene with Cairo and Pango. One unit is a pixel of a PNG, else 1/96 inch or, on pages in
/// millimetres, a point.
class PageCanvas {
 public:
  /// A PNG's size is in pixels. Throws InputError: no memory for the page, or no font for its text.
  PageCanvas(PageFormat format, const PageSize& size, PageWriting writing);

  double width() const { return width_; }
  double height() const { return height_; }
  MeasureText measure() const;
  void fill(Colour colour);
  void draw(const Scene& scene);
  /// Moves the origin of what is drawn from now on.
  void translate(Vec2 by);
  /// For a PDF alone. next_page() ends the page and begins the next one; set_title() and set_keywords() say what
  /// viewers show of the document; name_place() makes the top of the page a place that links lead to; what is drawn
  /// between begin_link() and end_link() leads there, or to a web address; add_bookmark() adds an entry of the outline
  /// within another one (0: within none) and returns its number.
  void next_page();
  void set_title(const std::string& title);
  void set_keywords(const std::string& keywords);
  void name_place(const std::string& place);
  void begin_link(const std::string& place);
  void begin_web_link(const std::string& address);
  void end_link();
  int add_bookmark(int within, const std::string& title, const std::string& place);
  /// Ends the page; the bytes of the file. Nothing may be drawn after it. Throws InputError where something was not.
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
  double units_per_point_ = 1;          // of an SVG's coordinates, per unit of the scene
  double pixels_per_unit_ = 1.5;        // of pictures in vector files
  std::string words_;                   // elements of an SVG, where its texts are no outlines
  std::vector<bool> sharp_pictures_;    // of those in an SVG, in the order of drawing
  std::unique_ptr<std::string> bytes_;  // has to stay where it is: Cairo writes to it until the surface is gone
  std::unique_ptr<cairo_surface_t, Deleter<cairo_surface_destroy>> surface_;
  std::unique_ptr<cairo_t, Deleter<cairo_destroy>> cairo_;
  std::unique_ptr<PangoFontMap, Deleter<g_object_unref>> fonts_;
  std::unique_ptr<PangoLayout, Deleter<g_object_unref>> text_;
};

}  // namespace ropescope
