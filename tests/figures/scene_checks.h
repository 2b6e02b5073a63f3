#pragma once

#include "app/figure/scene/scene.h"
#include "tests/test.h"

namespace ropescope {

/// Every character is 0.6 em wide.
inline Vec2 even_measure(std::string_view text, const TextStyle& style) {
  double characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xc0) == 0x80 ? 0 : 1;
  return {0.6 * style.size * characters, 1.2 * style.size};
}

template <class Item>
std::vector<Item> items_of(const Scene& scene) {
  std::vector<Item> items;
  for (const SceneItem& item : scene.items) {
    if (const auto* one = std::get_if<Item>(&item)) items.push_back(*one);
  }
  return items;
}

inline bool overlap(const Rect& a, const Rect& b) {
  return a.left < b.right() - 1e-6 && b.left < a.right() - 1e-6 && a.top < b.bottom() - 1e-6 &&
         b.top < a.bottom() - 1e-6;
}

inline bool inside(const Rect& a, const Rect& b) {
  return a.left >= b.left - 1e-6 && a.right() <= b.right() + 1e-6 && a.top >= b.top - 1e-6 &&
         a.bottom() <= b.bottom() + 1e-6;
}

inline std::string described(const Rect& r) {
  return std::to_string(r.left) + "," + std::to_string(r.top) + " " + std::to_string(r.width) + "x" +
         std::to_string(r.height);
}

inline void expect_tidy(const Scene& scene, const Rect& rect, const MeasureText& measure) {
  const std::vector<TextItem> texts = items_of<TextItem>(scene);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Rect box = box_of(texts[i], measure);
    EXPECT_TRUE(inside(box, rect)) << "\"" << texts[i].text << "\" " << described(box) << " in " << described(rect);
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_FALSE(overlap(box, box_of(texts[k], measure)))
          << "\"" << texts[i].text << "\" on \"" << texts[k].text << "\" in " << described(rect);
    }
  }
}

}  // namespace ropescope
