#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/layouts/parts.h"

namespace ropescope {

namespace {

constexpr std::int64_t kLayoutsCheckMostRows = std::int64_t{1} << 27;
constexpr std::size_t kMostReferences = 1000;

/// What a setting is called: one without a member by its name.
Words called(std::string_view kind, const LayoutSetting& setting) {
  if (std::holds_alternative<std::monostate>(setting.member)) return as_it_is(setting.name);
  const bool belongs = kind == "setting" && !setting.of.empty();
  return Words("layouts." + std::string(kind) + "." + std::string(belongs ? setting.of : setting.name));
}

void check_numbers_layouts_check(const Layout& layout, const LayoutRequest& request) {
  for (const LayoutSetting& setting : layout.settings) {
    const std::optional<double> found = value_of(request, setting);
    if (!found || (setting.traits & kCheckedByLayout) != 0 || is_valid(setting, *found)) continue;
    reject(layout, "layouts.value",
           {{"what", called("value", setting)}, {"found", *found}, {"expected", expected_of(setting)}});
  }
  if (request.references.size() > kMostReferences) {
    reject(layout, "layouts.references", {{"found", request.references.size()}, {"most", kMostReferences}});
  }
}

template <class Value>
constexpr bool is_optional_number =
    std::is_same_v<Value, std::optional<int>> || std::is_same_v<Value, std::optional<double>>;

/// The largest multiple of `step` at most `length` and the smallest at least that, within 1 … kMostPixels.
std::vector<int> nearest_multiples(int length, int step) {
  std::vector<int> nearest;
  const int below = length / step * step, above = (length + step - 1) / step * step;
  if (below >= step) nearest.push_back(below);
  if (above != below && above <= 8192) nearest.push_back(above);
  return nearest;
}

}  // namespace

void reject(std::string_view layout, std::string_view key, std::initializer_list<Words::Named> values) {
  throw InputError(layout, key, values);
}

int frames_of_tokens(const Layout& layout, int video_frames) {
  const int factor = layout.frame_factor;
  if (factor == 1) reject(layout, "layouts.no_video", {});
  if (video_frames >= 1 && (video_frames - 1) % factor == 0) return (video_frames - 1) / factor + 1;
  const int below = std::max(0, video_frames - 1) / factor * factor + 1;
  reject(layout, "layouts.video_frames",
         {{"frames", video_frames}, {"factor", factor}, {"below", below}, {"above", below + factor}});
}

int pixels_per_token(const Layout& layout, const LayoutRequest& request) {
  return takes(layout, "patch") && request.patch ? *request.patch : layout.vae_factor * layout.patch;
}

TokenGrid grid_of(const Layout& layout, const LayoutRequest& request, const ImageSize& size, const Words& what) {
  constexpr int kLongest = 8192;
  if (size.rows < 1 || size.columns < 1 || size.rows > kLongest || size.columns > kLongest) {
    reject(layout, size.in_pixels ? "layouts.size_pixels" : "layouts.size_tokens",
           {{"what", what}, {"rows", size.rows}, {"columns", size.columns}, {"most", kLongest}});
  }
  if (!size.in_pixels) return {size.rows, size.columns};
  const int step = pixels_per_token(layout, request);
  if (size.rows % step == 0 && size.columns % step == 0) return {size.rows / step, size.columns / step};
  std::vector<std::string> nearest;
  for (const int height : nearest_multiples(size.rows, step)) {
    for (const int width : nearest_multiples(size.columns, step)) {
      nearest.push_back(std::to_string(width) + "x" + std::to_string(height));
    }
  }
  reject(
      layout, "layouts.does_not_divide",
      {{"what", what}, {"rows", size.rows}, {"columns", size.columns}, {"step", step}, {"nearest", one_of(nearest)}});
}

std::optional<double> value_of(const LayoutRequest& request, const LayoutSetting& setting) {
  return std::visit(
      [&](auto member) -> std::optional<double> {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          const auto given = request.numbers.find(setting.name);
          return given == request.numbers.end() ? setting.initial : given->second;
        } else {
          using Value = std::decay_t<decltype(request.*member)>;
          if constexpr (std::is_arithmetic_v<Value>) return static_cast<double>(request.*member);
          if constexpr (is_optional_number<Value>) return request.*member;
          return std::nullopt;
        }
      },
      setting.member);
}

void set_value(LayoutRequest& request, const LayoutSetting& setting, double value) {
  std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          request.numbers[std::string(setting.name)] = value;
        } else {
          using Value = std::decay_t<decltype(request.*member)>;
          if constexpr (std::is_arithmetic_v<Value>) request.*member = static_cast<Value>(value);
          if constexpr (is_optional_number<Value>) request.*member = static_cast<typename Value::value_type>(value);
        }
      },
      setting.member);
}

bool is_given(const LayoutRequest& request, const LayoutSetting& setting) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          return request.numbers.contains(setting.name);
        } else if constexpr (std::is_same_v<decltype(member), Eigen::MatrixXd LayoutRequest::*>) {
          return (request.*member).size() != 0;
        } else {
          return request.*member != LayoutRequest().*member;
        }
      },
      setting.member);
}

TokenLayout arrange(const Layout& layout, const LayoutRequest& request) {
  for (const Layout& other : all_layouts()) {
    for (const LayoutSetting& setting : other.settings) {
      if (takes(layout, setting.name) || !is_given(request, setting)) continue;
      reject(layout, "layouts.not_taken", {{"setting", called("setting", setting)}});
    }
  }
  check_numbers_layouts_check(layout, request);
  if (takes(layout, "image") && !request.image) reject(layout, "layouts.no_size", {});
  TokenLayout arranged = layout.arrange(layout, request);
  if (arranged.row_count() < 1) reject(layout, "layouts.no_tokens", {});
  if (arranged.row_count() > kLayoutsCheckMostRows) {
    reject(layout, "layouts.too_many_tokens", {{"tokens", arranged.row_count()}, {"most", kLayoutsCheckMostRows}});
  }
  return arranged;
}

}  // namespace ropescope
