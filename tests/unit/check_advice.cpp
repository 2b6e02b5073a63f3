#include "check_advice.h"

#include "check_faults.h"
#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

/// What an advice is applied to, and what it says.
struct Following {
  const CheckCase& one;
  const CheckCause& cause;
  const Message& advice;
  Dump& dump;
  const Dump truth;
  std::optional<RotarySpec> spec;  ///< of the program's frequencies, as the cause has it
  std::optional<double> length;

  std::string text(const char* name) const {
    for (const Message::Named& named : advice.values) {
      if (named.name != name) continue;
      Message alone;
      alone.values = {named};
      return said(alone);
    }
    return "";
  }
  /// The numbers of a value, "(0, −3, −4)" or 10 000.
  std::vector<double> numbers(const char* name) const {
    std::vector<double> all;
    for (const Message::Named& named : advice.values) {
      if (named.name != name) continue;
      if (const auto* number = std::get_if<double>(&named.value)) return {*number};
      if (const auto* whole = std::get_if<std::int64_t>(&named.value)) return {static_cast<double>(*whole)};
    }
    std::string plain = std::regex_replace(text(name), std::regex("\u2212"), "-");
    plain = std::regex_replace(plain, std::regex("\u202f"), "");
    const std::regex number("-?[0-9.]+");
    for (std::sregex_iterator at(plain.begin(), plain.end(), number), end; at != end; ++at)
      all.push_back(std::stod(at->str()));
    return all;
  }
  double number(const char* name) const { return numbers(name).at(0); }
  /// The last part of a value's key, "neighbours" of check.pairing.neighbours.
  std::string key(const char* name) const {
    for (const Message::Named& named : advice.values) {
      const auto* messages = std::get_if<Message::List>(&named.value);
      if (named.name == name && messages != nullptr)
        return messages->at(0).key.substr(messages->at(0).key.rfind('.') + 1);
    }
    return "";
  }
  std::vector<double> found(const char* name) const {
    for (const CheckParameter& parameter : cause.parameters) {
      if (parameter.name != name) continue;
      if (const auto* list = std::get_if<std::vector<double>>(&parameter.value)) return *list;
      if (const auto* single = std::get_if<double>(&parameter.value)) return {*single};
    }
    return {};
  }

  /// The frequencies of the program, computed anew.
  bool compute() const {
    if (!spec) return false;
    const Dump other = true_dump(reference_from_rope(*spec, length, one.reference.positions));
    dump.frequencies = other.frequencies;
    dump.amplitude = other.amplitude;
    return true;
  }
  /// The rungs that the axes have, of the bases given.
  void rebase(const std::vector<double>& bases) const {
    dump.frequencies = truth.frequencies;
    change_ladders(dump, [&](std::size_t axis, int, int, double rung) {
      const double base = bases[std::min(axis, bases.size() - 1)];
      return std::pow(rung, std::log(base) / std::log(base_of(one, axis)));
    });
  }
  /// A plain ladder: base^(−exponent(axis, i, count)).
  template <class Exponent>
  void ladder(const Exponent& exponent) const {
    change_ladders(dump, [&](std::size_t axis, int index, int count, double) {
      return std::pow(base_of(one, axis), -exponent(axis, index, count));
    });
  }
  /// The ids of the parts asked for are those of the model.
  template <class Asked>
  void take_ids(const Asked& asked) const {
    for (std::size_t row = 0; row < std::min(dump.rows(), truth.rows()); ++row) {
      if (asked(dump.parts[row])) dump.ids[row] = truth.ids[row];
    }
  }
  std::size_t first_of(const Dump& in, const std::string& part) const {
    return static_cast<std::size_t>(std::find(in.parts.begin(), in.parts.end(), part) - in.parts.begin());
  }
  /// A part moved as a whole, so that its first ids are those given; false where these are not what they are to be.
  bool start(const std::string& part, const std::vector<double>& ids) const {
    const std::size_t first = first_of(dump, part);
    const std::vector<double>&was = dump.ids[first], &due = truth.ids[first_of(truth, part)];
    std::vector<double> by;
    for (std::size_t axis = 0; axis < was.size(); ++axis) {
      // Said with some digits.
      if (!ids.empty() && std::abs(ids[axis] - due[axis]) > 1e-3) return false;
      by.push_back(due[axis] - was[axis]);
    }
    for (std::size_t row = 0; row < dump.rows(); ++row) {
      if (dump.parts[row] != part) continue;
      for (std::size_t axis = 0; axis < by.size(); ++axis) dump.ids[row][axis] += by[axis];
    }
    return true;
  }

  std::size_t axis_named(const std::string& name) const {
    const std::vector<LayoutAxis>& axes = one.reference.tokens.axes;
    const auto found =
        std::find_if(axes.begin(), axes.end(), [&](const LayoutAxis& axis) { return axis.name == name; });
    return static_cast<std::size_t>(found - axes.begin());
  }
  /// The axes that an order names, pair after pair: "(t, row, column) x 20, t x 4"; `channels`: of each axis, where it
  /// has no numbers.
  std::vector<std::size_t> owners(const char* name, const std::vector<double>& channels) const {
    const std::string order = text(name);
    const std::regex run(R"((?:\(([^)]*)\)|([^,()]+?))(?: x ([0-9]+))?(?:, |$))"), word("[^, ]+");
    std::vector<std::size_t> all;
    for (std::sregex_iterator at(order.begin(), order.end(), run), end; at != end; ++at) {
      const std::string names = (*at)[1].matched ? (*at)[1].str() : (*at)[2].str();
      std::vector<std::size_t> turn;
      for (std::sregex_iterator each(names.begin(), names.end(), word); each != end; ++each)
        turn.push_back(axis_named(each->str()));
      const int times = (*at)[3].matched   ? std::stoi((*at)[3].str())
                        : channels.empty() ? 1
                                           : static_cast<int>(channels.at(turn.at(0)) / 2);
      for (int i = 0; i < times; ++i) all.insert(all.end(), turn.begin(), turn.end());
    }
    return all;
  }
  /// The axis that turns each pair of the dump.
  std::vector<std::size_t> owners_now() const {
    std::vector<std::size_t> all;
    for (std::size_t pair = 0; pair < dump.pairs(); ++pair) {
      for (std::size_t axis = 0; axis < dump.axes(); ++axis) {
        if (dump.frequencies[axis][pair] != 0) all.push_back(axis);
      }
    }
    return all;
  }
  /// Each axis turns its pairs by its ladder(axis, count).
  template <class Ladder>
  void place(const std::vector<std::size_t>& owners, const Ladder& ladder) const {
    std::vector<std::vector<double>> ladders;
    for (std::size_t axis = 0; axis < dump.axes(); ++axis)
      ladders.push_back(ladder(axis, static_cast<int>(std::count(owners.begin(), owners.end(), axis))));
    std::vector<std::size_t> next(dump.axes(), 0);
    for (auto& of_axis : dump.frequencies) std::fill(of_axis.begin(), of_axis.end(), 0.0);
    for (std::size_t pair = 0; pair < owners.size(); ++pair)
      dump.frequencies[owners[pair]].at(pair) = ladders[owners[pair]].at(next[owners[pair]]++);
  }
  /// The same ladders, in the places of an order.
  void place_again(const char* name) const {
    std::vector<double> channels;
    std::vector<std::vector<double>> ladders;
    for (const std::vector<double>& of_axis : dump.frequencies) {
      std::vector<double>& ladder = ladders.emplace_back(of_axis);
      std::erase(ladder, 0.0);
      std::sort(ladder.begin(), ladder.end(), std::greater<>());
      channels.push_back(2.0 * static_cast<double>(ladder.size()));
    }
    place(owners(name, channels), [&](std::size_t axis, int) { return ladders[axis]; });
  }
};

using Step = std::function<bool(Following&)>;

/// A step that always can be done.
template <class Act>
Step always(const Act& act) {
  return [act](Following& with) {
    act(with);
    return true;
  };
}

Step of_models_ids(bool (*asked)(const std::string& part)) {
  return always([asked](Following& with) { with.take_ids(asked); });
}

bool any(const std::string&) {
  return true;
}

void add_ladder_steps(std::map<std::string, Step>& steps) {
  steps["base.advice"] = [](Following& with) {
    if (with.spec) {
      for (RotaryAxis& axis : with.spec->axes) axis.base = with.number("due");
      const double amplitude = with.dump.amplitude;
      const bool done = with.compute();
      with.dump.amplitude = amplitude;
      return done;
    }
    with.rebase({with.number("due")});
    return true;
  };
  steps["base.advice_axes"] = always([](Following& with) { with.rebase(with.numbers("due")); });
  steps["base.advice_exponent"] = always([](Following& with) {
    change_ladders(with.dump, [&](std::size_t, int index, int count, double) {
      return std::pow(with.number("due"), -static_cast<double>(index) / count);
    });
  });
  for (const auto& [key, name] :
       {std::pair("scaling-missing.advice", "method"), std::pair("scaling-kind.advice", "due")}) {
    steps[key] = [name = name](Following& with) {
      if (!with.spec || with.text(name) != with.one.reference.rope->extension.method) return false;
      with.spec->extension = with.one.reference.rope->extension;
      with.spec->trained_length = with.one.reference.rope->trained_length;
      return with.compute();
    };
  }
  for (const char* key : {"axis-extension.advice", "axis-extension.advice_none"})
    steps[key] = always([](Following& with) { with.dump.frequencies = with.truth.frequencies; });
  steps["scaling-kind.advice_ramp"] = [](Following& with) {
    return with.text("method") == with.one.reference.rope->extension.method && with.compute();
  };
  steps["scaling-kind.advice_none"] = [](Following& with) {
    if (with.spec) with.spec->extension = Extension{};
    return with.compute();
  };
  steps["scaling-parameters.advice"] = [](Following& with) {
    if (!with.spec) return false;
    const std::string name = with.text("parameter");
    if (name == "trained_length") {
      with.spec->trained_length = with.number("due");
    } else {
      with.spec->extension.numbers[name] = with.number("due");
    }
    return with.compute();
  };
  steps["length-switch.advice"] = [](Following& with) {
    with.length = with.number("due");
    return with.compute();
  };
  steps["frequency-ladder.advice"] = always([](Following& with) {
    with.ladder([](std::size_t, int index, int count) { return static_cast<double>(index) / count; });
  });
  steps["frequency-ladder.advice_inclusive"] = always([](Following& with) {
    with.ladder([](std::size_t, int index, int count) { return static_cast<double>(index) / (count - 1); });
  });
  for (const char* key : {"frequency-ladder.advice_head", "frequency-ladder.advice_one_head"})
    steps[key] = always([](Following& with) { with.dump.frequencies = with.truth.frequencies; });
  for (const char* key : {"frequency-ladder.advice_falls", "frequency-ladder.advice_rises"}) {
    steps[key] = always([](Following& with) { reverse_ladders(with.dump); });
  }
}

void add_dimensions(std::map<std::string, Step>& steps) {
  steps["rotary-dimension.advice"] = always([](Following& with) {
    with.ladder([&](std::size_t, int index, int) { return 2 * index / with.number("due"); });
  });
  steps["rotary-dimension.advice_slices"] = always([](Following& with) {
    const std::vector<double> own = with.numbers("own");
    with.ladder([&](std::size_t axis, int index, int) { return 2 * index / own.at(axis); });
  });
  steps["rotary-dimension.advice_own"] = [](Following& with) {
    std::vector<std::vector<double>> ladders(with.dump.axes());
    const std::vector<std::size_t> owners = with.owners("order", {});
    for (std::size_t i = 0; i < owners.size(); ++i)
      ladders[owners[i]].push_back(
          std::pow(base_of(with.one), -2.0 * static_cast<double>(i) / with.number("channels")));
    with.place(with.owners_now(), [&](std::size_t axis, int) { return ladders[axis]; });
    return true;
  };
  for (const auto& [key, name] :
       {std::pair("advice_fraction", "due"), std::pair("advice_head", "head"), std::pair("advice_head_part", "due")}) {
    steps[std::string("rotary-dimension.") + key] = [name = name](Following& with) {
      if (!with.spec) return false;
      with.spec->axes[0].rotary_dim = static_cast<int>(with.number(name));
      return with.compute();
    };
  }
  steps["rotary-dimension.advice_live"] = always([](Following& with) {
    for (std::size_t pair = 0; pair < with.dump.pairs(); ++pair) {
      const double exponent = 2.0 * static_cast<double>(pair) / with.number("over");
      const bool turns = 2.0 * static_cast<double>(pair) < with.number("due");
      with.dump.frequencies[0][pair] = turns ? std::pow(base_of(with.one), -exponent) : 0;
    }
  });
  steps["axis-dimensions.advice"] = always([](Following& with) {
    with.place(with.owners("due_order", with.numbers("due")), [&](std::size_t axis, int count) {
      std::vector<double> ladder;
      for (int i = 0; i < count; ++i)
        ladder.push_back(std::pow(base_of(with.one, axis), -static_cast<double>(i) / count));
      return ladder;
    });
  });
  steps["axis-dimensions.advice_places"] = always([](Following& with) { with.place_again("due_order"); });
  steps["section-layout.advice_places"] = always([](Following& with) { with.place_again("due"); });
  steps["section-layout.advice_assigned"] = always([](Following& with) {
    const std::vector<std::size_t> owners = with.owners("due", {});
    std::vector<std::vector<double>> ladders(with.dump.axes());
    for (std::size_t i = 0; i < owners.size(); ++i)
      ladders[owners[i]].push_back(
          std::pow(base_of(with.one), -2.0 * static_cast<double>(i) / with.number("channels")));
    with.place(with.owners_now(), [&](std::size_t axis, int) { return ladders[axis]; });
  });
  for (const char* key : {"section-layout.advice_contiguous", "section-layout.advice_by_turns"}) {
    steps[key] = [](Following& with) {
      const std::vector<std::size_t> owners = with.owners("order", {});
      if (owners.size() != with.dump.pairs()) return false;
      for (std::size_t pair = 0; pair < with.dump.pairs(); ++pair) {
        double frequency = 0;
        for (std::size_t axis = 0; axis < with.dump.axes(); ++axis) frequency += with.dump.frequencies[axis][pair];
        for (std::size_t axis = 0; axis < with.dump.axes(); ++axis)
          with.dump.frequencies[axis][pair] = axis == owners[pair] ? frequency : 0;
      }
      return true;
    };
  }
}

void add_values(std::map<std::string, Step>& steps) {
  for (const char* key : {"amplitude.advice", "amplitude.advice_alone"})
    steps[key] = always([](Following& with) { with.dump.amplitude = with.number("due"); });
  // Axes of the written-out dumps have none: check_places_test.cpp tries it.
  steps["amplitude.advice_axes"] = always([](Following&) {});
  steps["sign.advice"] = always([](Following& with) { with.dump.conjugate = !with.dump.conjugate; });
  steps["cos-sin-exchanged.advice"] = always([](Following& with) { with.dump.exchanged = !with.dump.exchanged; });
  for (const char* key : {"table-format.advice", "sign.advice_allowed"}) steps[key] = always([](Following&) {});
  for (const char* key : {"frequency-format.advice", "angle-format.advice", "position-format.advice"}) {
    steps[key] = always([](Following& with) {
      with.dump.round_frequency = with.dump.round_angle = nullptr;
      if (with.advice.key == "check.position-format.advice") with.dump.round_id = nullptr;
    });
  }
  const auto pairing_of = [](const Following& with) {
    return with.key("due") == "neighbours" ? Pairing::interleaved : Pairing::half_split;
  };
  for (const char* key : {"pairing.advice", "pairing.advice_axis_half"})
    steps[key] = always([=](Following& with) {
      with.dump.repeats = with.dump.companions = pairing_of(with);
      with.dump.halves.clear();
      for (const LayoutAxis& axis : with.one.reference.tokens.axes) {
        const bool by_axis = with.key("due") == "halves_of_axes";
        if (by_axis) with.dump.halves.push_back(static_cast<std::size_t>(axis.rotary_dim / 2));
      }
    });
  steps["table-rotation-mismatch.advice"] = always([=](Following& with) { with.dump.repeats = pairing_of(with); });
  steps["table-rotation-mismatch.advice_rotation"] =
      always([=](Following& with) { with.dump.companions = pairing_of(with); });
  steps["table-rotation-mismatch.advice_matched"] = always([](Following& with) {
    with.dump.repeats = with.truth.repeats;
    with.dump.companions = with.truth.companions;
  });
}

/// Ids divided by what they were multiplied by.
void add_scale_steps(std::map<std::string, Step>& steps) {
  steps["position-scale.advice"] = always([](Following& with) {
    for (auto& ids : with.dump.ids) {
      for (double& id : ids) id /= with.found("factor").at(0);
    }
  });
  steps["position-scale.advice_frequencies"] = always([](Following& with) {
    for (auto& frequencies : with.dump.frequencies) {
      for (double& frequency : frequencies) frequency /= with.found("factor").at(0);
    }
  });
  steps["position-scale.advice_unit"] = always([](Following& with) {
    for (auto& frequencies : with.dump.frequencies) {
      for (double& frequency : frequencies) frequency *= with.number("unit");
    }
  });
  for (const char* key : {"position-scale.advice_axes", "position-scale.advice_zero"}) steps[key] = of_models_ids(any);
  // Ids multiplied, axis by axis, by the numbers of a value; each stands for one of `exact`, which has more digits.
  const auto multiply = [](Following& with, const char* value, const std::vector<double>& exact) {
    const std::vector<double> said = with.numbers(value);
    const std::string axes = with.text("axes");
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < with.dump.axes(); ++axis) {
      const std::string& name = with.one.reference.tokens.axes[axis].name;
      if (!std::regex_search(axes, std::regex("\\b" + name + "\\b"))) continue;
      if (at >= said.size() || std::abs(said[at] - exact[axis]) > 1e-6 * std::abs(exact[axis])) return false;
      for (auto& ids : with.dump.ids) ids[axis] *= exact[axis];
      ++at;
    }
    return at == said.size();
  };
  steps["position-scale.advice_own"] = [multiply](Following& with) {
    std::vector<double> own;
    for (const LayoutAxis& axis : with.one.reference.tokens.axes) own.push_back(axis.id_scale);
    return multiply(with, "scales", own);
  };
  steps["position-scale.advice_present"] = [multiply](Following& with) {
    std::vector<double> lacking = with.found("factor");
    lacking.resize(with.dump.axes(), lacking.at(0));
    for (double& factor : lacking) factor = 1 / factor;
    std::vector<double> scales = with.numbers("scales");
    for (std::size_t axis = 0; axis < lacking.size() && !scales.empty(); ++axis) {
      if (lacking[axis] == 1) continue;
      if (std::abs(scales[0] - with.one.reference.tokens.axes[axis].id_scale) > 1e-6 * scales[0]) return false;
      scales.erase(scales.begin());
    }
    return scales.empty() && multiply(with, "factors", lacking);
  };
}

void add_starts(std::map<std::string, Step>& steps) {
  steps["position-offset.advice"] = [](Following& with) {
    bool done = true;
    for (const std::string& part : std::set<std::string>(with.dump.parts.begin(), with.dump.parts.end()))
      done = done && with.start(part, {});
    return done;
  };
  for (const char* key : {"advice_restart", "advice_clamped", "advice_left_padded", "advice_left_padded_layout",
                          "advice_right_padded", "advice_rows", "advice_slice", "advice_overflow"}) {
    steps[std::string("position-offset.") + key] = always([](Following& with) {
      for (std::size_t row = 0; row < with.dump.rows(); ++row) with.dump.ids[row][0] = static_cast<double>(row);
    });
  }
  steps["position-offset.advice_axes"] = of_models_ids(is_grid);
  steps["centring.advice"] = [](Following& with) { return with.start("image", with.numbers("due")); };
  steps["centring.advice_part"] = [](Following& with) { return with.start(with.text("part"), with.numbers("due")); };
  steps["centring.advice_kept"] = [](Following& with) {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < with.dump.rows(); ++row) {
      if (with.text("parts").find(with.dump.parts[row]) == std::string::npos) continue;
      if (with.dump.ids[row] != with.truth.ids[row]) return false;
      kept += 1;
    }
    return kept > 0;
  };
  steps["centring.advice_middles"] = of_models_ids(is_grid);
  steps["centring.advice_not_stretched"] = always([](Following& with) {
    for (std::size_t axis = 0; axis < with.dump.axes(); ++axis) {
      // Where the angles are not stretched, the ids are.
      if (with.truth.id_offset[axis] != 0) {
        with.dump.id_scale[axis] = 2, with.dump.id_offset[axis] = -1;
        continue;
      }
      for (auto& ids : with.dump.ids) ids[axis] = 2 * ids[axis] - 1;
    }
  });
  const Step text = [](Following& with) {
    // The text that is meant: the first, or one after another part.
    const bool is_first = with.key("text") == "text", all_axes = with.key("due_axes") == "all_axes";
    const std::string axes = with.text("due_axes");
    const std::vector<double> due = with.numbers("due");
    std::vector<const TokenBlock*> meant;
    bool first = true;
    for (const TokenBlock& block : with.one.reference.tokens.blocks) {
      if (block.part != "text") {
        first = false;
      } else if (first == is_first) {
        meant.push_back(&block);
      }
    }
    // Of several a sentence each says where they start: the one that starts there.
    if (meant.size() > 1) {
      std::erase_if(meant, [&](const TokenBlock* block) { return block->ids[0].at(0) != due.at(0); });
      if (meant.empty()) return false;
    }
    for (const TokenBlock* one_of_text : meant) {
      const TokenBlock& block = *one_of_text;
      for (std::int64_t i = 0; i < block.count(); ++i) {
        std::vector<double>& ids = with.dump.ids.at(static_cast<std::size_t>(block.first_row + i));
        for (std::size_t axis = 0; axis < ids.size(); ++axis) {
          const std::string& name = with.one.reference.tokens.axes[axis].name;
          const bool runs = all_axes || std::regex_search(axes, std::regex("\\b" + name + "\\b"));
          const double start = due.size() > 1 ? due.at(axis) : runs || axes.empty() ? due.at(0) : 0;
          ids[axis] = start + (runs ? static_cast<double>(i) : 0);
        }
      }
    }
    return true;
  };
  steps["text-start.advice"] = text;
  steps["text-start.advice_still"] = [text](Following& with) {
    const bool still = with.key("due_axes") == "no_axis";
    return still && text(with);
  };
  steps["reference-index.advice"] = always([](Following& with) {
    const std::vector<double> due = with.numbers("due");
    for (std::size_t row = 0; row < with.dump.rows(); ++row) {
      const std::string& part = with.dump.parts[row];
      if (part.rfind("reference", 0) == 0) with.dump.ids[row][0] = due.at(std::stoul(part.substr(9)) - 1);
    }
  });
  steps["reference-index.advice_starts"] = [](Following& with) {
    const std::vector<double> due = with.numbers("due");
    const std::size_t axes = with.dump.axes();
    bool done = true;
    for (std::size_t i = 0; (i + 1) * axes <= due.size(); ++i) {
      const auto first = due.begin() + static_cast<std::ptrdiff_t>(i * axes);
      done =
          done && with.start("reference" + std::to_string(i + 1), {first, first + static_cast<std::ptrdiff_t>(axes)});
    }
    return done;
  };
  steps["collision.advice"] = of_models_ids(is_grid);
  steps["collision.advice_axis"] = always([](Following& with) {
    for (std::size_t axis = 0; axis < with.dump.axes(); ++axis) {
      if (with.one.reference.tokens.axes[axis].name != with.text("axis")) continue;
      for (std::size_t row = 0; row < with.dump.rows(); ++row) with.dump.ids[row][axis] = with.truth.ids[row][axis];
    }
  });
}

/// The ids of each grid from the first row and column to the last: the same ids, given to the tokens in another order.
void sort_grids(Following& with) {
  for (const TokenBlock& block : with.one.reference.tokens.blocks) {
    if (!is_grid(block.part)) continue;
    const auto first = with.dump.ids.begin() + static_cast<std::ptrdiff_t>(block.first_row);
    const auto place = [&](const std::vector<double>& ids) {
      std::vector<double> key;
      for (const Along along : {Along::frame, Along::row, Along::column, Along::token}) {
        for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
          if (block.ids[axis].along == along) key.push_back(ids[axis]);
        }
      }
      return key;
    };
    std::stable_sort(first, first + static_cast<std::ptrdiff_t>(block.count()),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
  }
}

void add_order_steps(std::map<std::string, Step>& steps) {
  steps["axes-swapped.advice"] = always([](Following& with) {
    // The column of each holds the other's numbers: that they change places makes the one the first that comes first.
    const std::size_t first = with.axis_named(with.text("first")), second = with.axis_named(with.text("second"));
    if (first > second) return;
    for (auto& ids : with.dump.ids) std::swap(ids[first], ids[second]);
  });
  steps["axes-swapped.advice_sides"] = of_models_ids(any);
  steps["axes-swapped.advice_order"] = [](Following& with) {
    std::string order;
    for (const LayoutAxis& axis : with.one.reference.tokens.axes) order += (order.empty() ? "" : ", ") + axis.name;
    with.take_ids(any);
    return with.text("due") == order;
  };
  steps["order.advice"] = always(sort_grids);
  steps["order.advice_parts"] = [](Following& with) {
    // Each part by a name of its own.
    std::map<std::string, int> several, before;
    std::string order;
    for (const TokenBlock& block : with.one.reference.tokens.blocks) ++several[block.part];
    for (const TokenBlock& block : with.one.reference.tokens.blocks) {
      order += (order.empty() ? "" : ", ") + block.part;
      if (several[block.part] > 1) order += std::to_string(++before[block.part]);
    }
    with.take_ids(any);
    return with.text("due") == order;
  };
  steps["order.advice_text"] = [](Following& with) {
    const LayoutRequest& request = with.one.reference.request;
    with.take_ids(any);
    return with.number("due_before") == request.text && with.number("due_after") == request.text_after;
  };
  for (const char* key : {"order.advice_line", "order.advice_patches"}) steps[key] = of_models_ids(is_grid);
  steps["order.advice_stride"] = always([](Following& with) {
    for (const TokenBlock& block : with.one.reference.tokens.blocks) {
      if (!is_grid(block.part)) continue;
      for (std::int64_t i = 0; i < block.count(); ++i) {
        const std::int64_t at = i % (block.rows * block.columns);
        std::vector<double>& ids = with.dump.ids[static_cast<std::size_t>(block.first_row + i)];
        for (std::size_t axis = 0; axis < ids.size(); ++axis) {
          if (block.ids[axis].along == Along::row) ids[axis] = block.ids[axis].at(at / block.columns);
          if (block.ids[axis].along == Along::column) ids[axis] = block.ids[axis].at(at % block.columns);
        }
      }
    }
  });
}

void add_count_steps(std::map<std::string, Step>& steps) {
  const auto as_due = [](Following& with) {
    with.dump.ids = with.truth.ids;
    with.dump.parts = with.truth.parts;
  };
  for (const char* key : {"length.advice", "length.advice_reference", "length.advice_slice"})
    steps[key] = always(as_due);
  steps["length.advice_size"] = [=](Following& with) {
    // What is said to describe the tables does.
    const std::string option = with.text("option");
    const auto given = [&](const std::string& pattern) {
      std::vector<int> numbers;
      std::smatch match;
      if (!std::regex_search(option, match, std::regex(pattern))) return numbers;
      for (std::size_t i = 1; i < match.size(); ++i) numbers.push_back(std::stoi(match[i].str()));
      return numbers;
    };
    LayoutRequest request = with.one.reference.request;
    const std::vector<int> size = given("--size ([0-9]+)x([0-9]+)"), frames = given("--frames ([0-9]+)"),
                           text = given("--text ([0-9]+)");
    request.image = ImageSize::pixels(size.at(0), size.at(1));
    if (!frames.empty()) request.frames = frames[0];
    if (!text.empty()) request.text = text[0];
    const CheckReference described = reference_from_layout(*with.one.reference.layout, request);
    const bool agrees = check(described, tables_of(with.dump)).verdict == Verdict::agrees;
    as_due(with);
    return agrees;
  };
  steps["length.advice_unpacked"] = [=](Following& with) {
    as_due(with);
    return with.number("patch") == with.one.reference.layout->patch;
  };
  steps["length.advice_repeated"] = always([](Following& with) {
    with.dump.ids.resize(static_cast<std::size_t>(with.number("due")));
    with.dump.parts.resize(with.dump.ids.size());
  });
}

const std::map<std::string, Step>& all_steps() {
  static const std::map<std::string, Step> all = [] {
    std::map<std::string, Step> steps;
    add_ladder_steps(steps), add_dimensions(steps), add_values(steps), add_scale_steps(steps);
    add_starts(steps), add_order_steps(steps), add_count_steps(steps);
    return steps;
  }();
  return all;
}

/// Sentences one by one.
void add_sentences(const Message& words, std::vector<Message>& all) {
  if (words.key != "list.sentences") {
    all.push_back(words);
    return;
  }
  for (const Message::Named& named : words.values) add_sentences(std::get<Message::List>(named.value).at(0), all);
}

}  // namespace

bool follow(const CheckCase& one, const CheckCause& cause, Dump& dump) {
  std::vector<Message> steps;
  add_sentences(cause.advice, steps);
  std::optional<RotarySpec> spec;
  std::optional<double> length = one.reference.length;
  if (cause.applied) spec = cause.applied->rope, length = cause.applied->length;
  const Dump truth = true_dump(one.reference);
  // The same numbers may have come from another mistake: the program is taken to be as the cause says it is.
  const auto known = std::find_if(all_causes().begin(), all_causes().end(),
                                  [&](const Cause* one_of_all) { return one_of_all->name == cause.name; });
  if (known != all_causes().end() && (*known)->group == CauseGroup::frequencies && truth.rows() > 0)
    dump.ids = truth.ids;
  for (const Message& advice : steps) {
    Following with{one, cause, advice, dump, truth, spec, length};
    const std::string key = advice.key.substr(std::min(advice.key.size(), std::string_view("check.").size()));
    const auto step = all_steps().find(key);
    if (step == all_steps().end() || !step->second(with)) return false;
    spec = with.spec, length = with.length;
  }
  return true;
}

void expect_fixed(const CheckCase& one, const CheckCause& cause, Dump dump,
                  const std::function<CheckInputs(const Dump&)>& inputs) {
  const std::string advice = said(cause.advice);
  EXPECT_TRUE(follow(one, cause, dump)) << advice;
  const CheckReport report = check(one.reference, inputs(dump));
  EXPECT_EQ(report.verdict, Verdict::agrees) << advice << " gives " << names_of(report);
}

std::vector<std::string> followed_advice() {
  std::vector<std::string> keys;
  for (const auto& [key, step] : all_steps()) keys.push_back("check." + key);
  return keys;
}

}  // namespace ropescope
