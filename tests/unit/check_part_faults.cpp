#include "check_faults.h"

namespace ropescope {

namespace {

/// The ids of the images times a factor for each axis; false where some factor meets no ids.
bool multiply(Dump& dump, const std::vector<double>& factors) {
  std::vector<bool> seen(factors.size(), false);
  const auto first =
      static_cast<std::size_t>(std::find(dump.parts.begin(), dump.parts.end(), "image") - dump.parts.begin());
  const std::vector<std::vector<double>> old = dump.ids;
  for (std::size_t row = 0; row < dump.rows(); ++row) {
    if (!is_grid(dump.parts[row])) continue;
    for (std::size_t axis = 0; axis < factors.size(); ++axis) {
      const bool other = dump.parts[row] == "image" && old[row][axis] != old[first][axis];
      seen[axis] = seen[axis] || factors[axis] == 1 || other;
      dump.ids[row][axis] *= factors[axis];
    }
  }
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

void add_factor(std::vector<Fault>& faults, const std::string& variant,
                const std::function<std::vector<double>(const CheckCase&)>& factors) {
  faults.push_back({"position-scale", variant, 'i',
                    [=](const CheckCase& one, Dump& dump) {
                      const std::vector<double> of = factors(one);
                      return !of.empty() && dump.axes() > 1 && multiply(dump, of);
                    },
                    [=](const CheckCase& one, const CheckReport& report) {
                      const std::vector<double> of = factors(one), found = list_of(report, "factor");
                      return std::equal(of.begin(), of.end(), found.begin(), found.end(),
                                        [](double a, double b) { return near(a, b, 1e-2); });
                    }});
}

/// A factor on the axis along a counter, 1 on the others; empty where there is no such axis.
std::vector<double> on_axis(const CheckCase& one, Along along, double factor) {
  const int axis = axis_along(one, along);
  if (axis < 0 || image_of(one).part != "image") return {};
  std::vector<double> factors(one.reference.tokens.axes.size(), 1);
  factors[static_cast<std::size_t>(axis)] = factor;
  return factors;
}

/// Row r of the grids gets the ids of the place that a program reaches there which nests its counters otherwise.
template <class From>
bool reorder_part_ids(const CheckCase& one, Dump& dump, const From& from) {
  const std::vector<std::vector<double>> old = dump.ids;
  for (const TokenBlock& block : one.reference.tokens.blocks) {
    if (!is_grid(block.part)) continue;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      dump.ids[static_cast<std::size_t>(block.first_row + i)] =
          old[static_cast<std::size_t>(block.first_row + from(i, block))];
    }
  }
  return dump.ids != old;
}

std::int64_t index_of(const TokenBlock& block, std::int64_t frame, std::int64_t row, std::int64_t column) {
  return (frame * block.rows + row) * block.columns + column;
}

template <class From>
void add_order(std::vector<Fault>& faults, const std::string& name, const From& from) {
  faults.push_back({"order", name, 'i',
                    [from](const CheckCase& one, Dump& dump) { return reorder_part_ids(one, dump, from); },
                    is_said("order", name)});
}

void add_part_order_faults(std::vector<Fault>& faults) {
  add_order(faults, "frames-fastest", [](std::int64_t i, const TokenBlock& block) {
    if (block.frames == 1) return i;
    return index_of(block, i % block.frames, i / block.frames / block.columns, i / block.frames % block.columns);
  });
  add_order(faults, "row-frame-column", [](std::int64_t i, const TokenBlock& block) {
    if (block.frames == 1) return i;
    const std::int64_t line = i / block.columns;
    return index_of(block, line % block.frames, line / block.frames, i % block.columns);
  });
  add_order(faults, "bottom-up", [](std::int64_t i, const TokenBlock& block) {
    const std::int64_t row = i / block.columns % block.rows;
    return i + (block.rows - 1 - 2 * row) * block.columns;
  });
  add_order(faults, "right-to-left",
            [](std::int64_t i, const TokenBlock& block) { return i + block.columns - 1 - 2 * (i % block.columns); });
}

/// Whole parts in another order, each with the ids that it has.
void add_parts(std::vector<Fault>& faults) {
  const auto taken = [](const CheckCase& one, Dump& dump, std::size_t from, std::size_t to) {
    std::vector<const TokenBlock*> blocks;
    for (const TokenBlock& block : one.reference.tokens.blocks) blocks.push_back(&block);
    const TokenBlock* moved = blocks[from];
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(from));
    blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(to), moved);
    const Dump old = dump;
    dump.ids.clear(), dump.parts.clear();
    for (const TokenBlock* block : blocks) {
      for (std::int64_t i = 0; i < block->count(); ++i) {
        dump.ids.push_back(old.ids[static_cast<std::size_t>(block->first_row + i)]);
        dump.parts.push_back(block->part);
      }
    }
  };
  faults.push_back({"order", "first part last", 'i',
                    [=](const CheckCase& one, Dump& dump) {
                      const std::size_t parts = one.reference.tokens.blocks.size();
                      if (is_rope(one) || parts < 2) return false;
                      taken(one, dump, 0, parts - 1);
                      return true;
                    },
                    [](const CheckCase& one, const CheckReport& report) {
                      const std::string order = text_of(report, "order");
                      const std::string first = ", " + one.reference.tokens.blocks[0].part;
                      return order.ends_with(first) || order.ends_with(first + "1");
                    }});
  faults.push_back({"order", "references before the image", 'i',
                    [=](const CheckCase& one, Dump& dump) {
                      const auto& blocks = one.reference.tokens.blocks;
                      for (std::size_t i = 1; i < blocks.size(); ++i) {
                        if (blocks[i].part != "reference1" || blocks[i - 1].part != "image") continue;
                        taken(one, dump, i, i - 1);
                        return true;
                      }
                      return false;
                    },
                    [](const CheckCase&, const CheckReport& report) {
                      return text_of(report, "order").find("reference1, image") != std::string::npos;
                    }});
}

}  // namespace

std::vector<Fault> part_faults() {
  std::vector<Fault> faults;
  add_factor(faults, "frames x 4", [](const CheckCase& one) { return on_axis(one, Along::frame, 4); });
  add_factor(faults, "rows x 2", [](const CheckCase& one) { return on_axis(one, Along::row, 2); });
  // Rows and columns fitted to a square.
  add_factor(faults, "fitted to a square", [](const CheckCase& one) { return on_axis(one, Along::row, 7.0 / 5); });
  add_part_order_faults(faults);
  add_parts(faults);
  return faults;
}

}  // namespace ropescope
