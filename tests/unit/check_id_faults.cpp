#include "check_faults.h"

namespace ropescope {

bool is_grid(const std::string& part) {
  return part == "image" || part.rfind("reference", 0) == 0;
}

const TokenBlock& image_of(const CheckCase& one) {
  for (const TokenBlock& block : one.reference.tokens.blocks) {
    if (block.part == "image") return block;
  }
  return one.reference.tokens.blocks[0];
}

namespace {

bool has_image(const CheckCase& one) {
  return image_of(one).part == "image";
}

bool only_images(const Dump& dump) {
  return std::all_of(dump.parts.begin(), dump.parts.end(), [](const std::string& part) { return part == "image"; });
}

bool only_text(const Dump& dump) {
  return std::all_of(dump.parts.begin(), dump.parts.end(), [](const std::string& part) { return part == "text"; });
}

void shift_part(Dump& dump, const std::string& part, const std::vector<double>& by) {
  for (std::size_t row = 0; row < dump.rows(); ++row) {
    if (dump.parts[row] != part) continue;
    for (std::size_t axis = 0; axis < dump.axes(); ++axis) dump.ids[row][axis] += by[axis];
  }
}

/// From one id of the image to the next on the axis along its rows or columns.
double step_along(const CheckCase& one, Along along) {
  const auto axis = static_cast<std::size_t>(std::max(axis_along(one, along), 0));
  const AxisIds& ids = image_of(one).ids[axis];
  return axis_along(one, along) < 0 ? 1 : ids.at(1) - ids.at(0);
}

/// What a shift of the image is named on the 5 × 7 grids of the cases, where it could be centred otherwise.
struct ShiftNames {
  const char* layout;
  const char* by_one;   ///< row and column by 1
  const char* by_half;  ///< both by half of their side, rounded down or up
};

constexpr ShiftNames kShiftNames[] = {
    // From −3 and −4 in steps of 1: one farther the middle is rounded the other way, half a side is centring twice.
    {"qwen-image", "centring", "centring"},
    {"qwen-image-layered", "centring", "centring"},
    // From −0.8 and −6/7 in steps of 0.4 and 2/7: 1 is two steps and a half.
    {"dinov3", "position-offset", "centring"},
    // From −1 to 1 in steps of 1/2 and 1/3: 1 farther it begins at 0.
    {"lucidrains-axial", "centring", "centring"},
};

/// The name of a shift; of a layout that is not centred every shift is an offset.
std::string shift_name(const CheckCase& one, const char* ShiftNames::*which) {
  for (const ShiftNames& names : kShiftNames) {
    if (one.name == names.layout) return names.*which;
  }
  return "position-offset";
}

/// The rows of a block in another order: row r of the block gets the ids of row from(r).
template <class From>
void reorder_grid_ids(const CheckCase& one, Dump& dump, const From& from) {
  const std::vector<std::vector<double>> old = dump.ids;
  for (const TokenBlock& block : one.reference.tokens.blocks) {
    if (!is_grid(block.part)) continue;
    const std::int64_t in_frame = block.rows * block.columns;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::int64_t frame = i / in_frame, at = i % in_frame;
      const std::int64_t source = frame * in_frame + from(at, static_cast<std::int64_t>(block.rows), block.columns);
      dump.ids[static_cast<std::size_t>(block.first_row + i)] = old[static_cast<std::size_t>(block.first_row + source)];
    }
  }
}

using CheckIdFaultsCommit = std::function<bool(const CheckCase&, Dump&)>;
using CheckIdFaultsParameters = std::function<bool(const CheckCase&, const CheckReport&)>;
using IdFaultTies = std::function<std::string(const CheckCase&)>;

void add_exchanges(std::vector<Fault>& faults) {
  const auto exchange = [](const CheckCase& one, Dump& dump) {
    const int row = axis_along(one, Along::row), column = axis_along(one, Along::column);
    if (row < 0 || column < 0) return false;
    for (auto& ids : dump.ids) std::swap(ids[static_cast<std::size_t>(row)], ids[static_cast<std::size_t>(column)]);
    return true;
  };
  faults.push_back({"axes-swapped", "columns", 'i', exchange, is_said("kind", "columns")});
  const auto turned = [](const CheckCase& one, Dump& dump) {
    if (is_rope(one) || !one.reference.request.image) return false;
    LayoutRequest request = one.reference.request;
    std::swap(request.image->rows, request.image->columns);
    const Dump other = true_dump(reference_from_layout(*one.reference.layout, request));
    // A token at the end of each row (HunYuan-VL): exchanged sides are another number of tokens, a fault of length.
    if (other.rows() != dump.rows()) return false;
    dump.ids = other.ids;
    return true;
  };
  faults.push_back({"axes-swapped", "height-width", 'i', turned, is_said("kind", "height-width")});
  const auto column_major = [](const CheckCase& one, Dump& dump) {
    if (!has_image(one)) return false;
    reorder_grid_ids(one, dump, [](std::int64_t at, std::int64_t rows, std::int64_t columns) {
      return at % rows * columns + at / rows;
    });
    return true;
  };
  faults.push_back({"order", "column-major", 'i', column_major, is_said("order", "column-major")});
  const auto serpentine = [](const CheckCase& one, Dump& dump) {
    if (!has_image(one)) return false;
    reorder_grid_ids(one, dump, [](std::int64_t at, std::int64_t, std::int64_t columns) {
      const std::int64_t row = at / columns, column = at % columns;
      return row * columns + (row % 2 == 1 ? columns - 1 - column : column);
    });
    return true;
  };
  faults.push_back({"order", "serpentine", 'i', serpentine, nullptr});
}

void add_offsets(std::vector<Fault>& faults) {
  const auto offset_by = [](double first, double others) {
    return on_any([=](Dump& dump) {
      for (auto& ids : dump.ids) {
        for (std::size_t axis = 0; axis < ids.size(); ++axis) ids[axis] += axis == 0 ? first : others;
      }
    });
  };
  const auto offset_is = [](double first, double others) {
    return [=](const CheckCase& one, const CheckReport& report) {
      std::vector<double> offset(one.reference.tokens.axes.size(), others);
      offset[0] = first;
      return report.causes[0].name != "position-offset" || list_of(report, "offset") == offset;
    };
  };
  faults.push_back({"position-offset", "2", 'i', offset_by(2, 2), offset_is(2, 2)});
  const IdFaultTies tied = [](const CheckCase& one) -> std::string {
    const Dump dump = true_dump(one.reference);
    const bool alone = one.reference.tokens.axes.size() == 2 && only_images(dump);
    return alone ? shift_name(one, &ShiftNames::by_one) : "position-offset";
  };
  faults.push_back({"position-offset", "1", 'i', offset_by(1, 1), offset_is(1, 1), TableForm::once, tied});
}

bool shift_grid(const CheckCase& one, Dump& dump, double rows, double columns) {
  const int row = axis_along(one, Along::row), column = axis_along(one, Along::column);
  if (row < 0 || column < 0) return false;
  std::vector<double> by(dump.axes(), 0);
  by[static_cast<std::size_t>(row)] = rows;
  by[static_cast<std::size_t>(column)] = columns;
  shift_part(dump, "image", by);
  return true;
}

void add_shifts_of_grids(std::vector<Fault>& faults) {
  // A layout that starts at 0 has no other centring.
  for (const bool below : {true, false}) {
    const auto shift = [below](const CheckCase& one) {
      const TokenBlock& image = image_of(one);
      const auto zero = [below](double side) { return below ? std::floor(side / 2) : std::ceil(side / 2); };
      return std::pair{-zero(image.rows) * step_along(one, Along::row),
                       -zero(static_cast<double>(image.columns)) * step_along(one, Along::column)};
    };
    faults.push_back({"centring", below ? "half" : "above the middle", 'i',
                      [=](const CheckCase& one, Dump& dump) {
                        const auto [rows, columns] = shift(one);
                        return shift_grid(one, dump, rows, columns);
                      },
                      nullptr, TableForm::once,
                      [](const CheckCase& one) { return shift_name(one, &ShiftNames::by_half); }});
  }
  faults.push_back({"position-offset", "one-based image", 'i',
                    [=](const CheckCase& one, Dump& dump) { return shift_grid(one, dump, 1, 1); }, nullptr,
                    TableForm::once, [](const CheckCase& one) { return shift_name(one, &ShiftNames::by_one); }});
}

void add_shifts_of_parts(std::vector<Fault>& faults) {
  faults.push_back({"text-start", "elsewhere", 'i',
                    [](const CheckCase& one, Dump& dump) {
                      if (only_text(dump) || only_images(dump)) return false;
                      if (std::find(dump.parts.begin(), dump.parts.end(), "text") == dump.parts.end()) return false;
                      if (one.name == "raster") return false;  // one axis: tested below as any other shift
                      shift_part(dump, "text", std::vector<double>(dump.axes(), 5));
                      return true;
                    },
                    nullptr});
  faults.push_back({"reference-index", "", 'i',
                    [](const CheckCase& one, Dump& dump) {
                      if (std::find(dump.parts.begin(), dump.parts.end(), "reference1") == dump.parts.end())
                        return false;
                      // An axis that counts tokens through images has no index of images (HunYuan-VL).
                      for (const TokenBlock& block : one.reference.tokens.blocks) {
                        if (block.part == "reference1" && block.ids[0].along == Along::token && dump.axes() > 1)
                          return false;
                      }
                      std::vector<double> by(dump.axes(), 0);
                      by[0] = 4;
                      shift_part(dump, "reference1", by);
                      return one.name != "raster";
                    },
                    [](const CheckCase& one, const CheckReport& report) {
                      double due = 4;
                      for (const TokenBlock& block : one.reference.tokens.blocks) {
                        if (block.part == "reference1") due += block.ids[0].at(0);
                      }
                      return list_of(report, "indices") == std::vector<double>{due};
                    }});
}

void add_id_scale_faults(std::vector<Fault>& faults) {
  for (const double factor : {0.5, 1.37, 3.0}) {
    faults.push_back({"position-scale", "x" + std::to_string(factor).substr(0, 4), 'i', on_any([factor](Dump& dump) {
                        for (auto& ids : dump.ids) {
                          for (double& id : ids) id *= factor;
                        }
                      }),
                      [factor](const CheckCase&, const CheckReport& report) {
                        return report.causes[0].name != "position-scale" ||
                               near(number_of(report, "factor"), factor, 1e-2);
                      },
                      TableForm::once,
                      [](const CheckCase& one) -> std::string {
                        // The frequencies of linear and of proportional scaling times c are those of another factor.
                        const std::string method = is_rope(one) ? one.reference.rope->extension.method : "";
                        const bool linear = method == "linear" || method == "proportional";
                        return linear ? "scaling-parameters" : "position-scale";
                      }});
  }
}

void add_id_length_faults(std::vector<Fault>& faults) {
  const auto cut = [](std::size_t less) {
    return on_any([less](Dump& dump) {
      dump.ids.resize(dump.ids.size() - less);
      dump.parts.resize(dump.ids.size());
    });
  };
  faults.push_back({"length", "shorter", 'i', cut(3), [](const CheckCase& one, const CheckReport& report) {
                      return number_of(report, "length") == static_cast<double>(one.reference.tokens.row_count() - 3);
                    }});
  faults.push_back({"length", "more text", 'i',
                    [](const CheckCase& one, Dump& dump) {
                      if (is_rope(one) || one.reference.request.text == 0) return false;
                      LayoutRequest request = one.reference.request;
                      request.text += 32;
                      const Dump other = true_dump(reference_from_layout(*one.reference.layout, request));
                      const bool differs = other.rows() != dump.rows();
                      dump.ids = other.ids;
                      dump.parts = other.parts;
                      return differs;
                    },
                    nullptr});
  faults.push_back({"length", "another size", 'i',
                    [](const CheckCase& one, Dump& dump) {
                      if (is_rope(one) || !one.reference.request.image) return false;
                      LayoutRequest request = one.reference.request;
                      request.image = ImageSize::tokens(6, 8);
                      const Dump other = true_dump(reference_from_layout(*one.reference.layout, request));
                      // With another size the step from id to id changes besides (SAM 3): two faults at once.
                      if (other.id_scale != dump.id_scale) return false;
                      dump.ids = other.ids;
                      dump.parts = other.parts;
                      return true;
                    },
                    [](const CheckCase& one, const CheckReport& report) {
                      // A raster is a line whatever its sides.
                      if (one.name == "raster") return true;
                      const int pixels = pixels_per_token(*one.reference.layout, one.reference.request);
                      return text_of(report, "size") == std::to_string(8 * pixels) + "x" + std::to_string(6 * pixels);
                    }});
}

void add_collision(std::vector<Fault>& faults) {
  faults.push_back({"collision", "", 'i',
                    [](const CheckCase& one, Dump& dump) {
                      const int column = axis_along(one, Along::column);
                      // HunYuan-VL also counts the tokens of an image along an axis: none of them collide.
                      if (column < 0 || one.name == "vit-mixed" || one.name == "hunyuan-vl") return false;
                      // Two columns of the image become one.
                      const auto c = static_cast<std::size_t>(column);
                      double last = -1e9, before = -1e9;
                      for (std::size_t row = 0; row < dump.rows(); ++row) {
                        if (dump.parts[row] == "image") last = std::max(last, dump.ids[row][c]);
                      }
                      for (std::size_t row = 0; row < dump.rows(); ++row) {
                        if (dump.parts[row] == "image" && dump.ids[row][c] < last)
                          before = std::max(before, dump.ids[row][c]);
                      }
                      for (std::size_t row = 0; row < dump.rows(); ++row) {
                        if (dump.parts[row] == "image" && dump.ids[row][c] == last) dump.ids[row][c] = before;
                      }
                      return true;
                    },
                    nullptr});
}

}  // namespace

std::vector<Fault> id_faults() {
  std::vector<Fault> faults = part_faults();
  add_exchanges(faults);
  add_offsets(faults);
  add_shifts_of_grids(faults);
  add_shifts_of_parts(faults);
  add_id_scale_faults(faults);
  add_id_length_faults(faults);
  add_collision(faults);
  return faults;
}

}  // namespace ropescope
