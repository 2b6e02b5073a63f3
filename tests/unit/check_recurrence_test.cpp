// ggml's two ways of computing angles in float32 are recognised: the tables here are computed step by step as its CPU
// code and its GPU kernels do (llama.cpp 1f08e2d66271, ggml/src/ggml-cpu/ops.cpp; 19d7cef745ee,
// ggml/src/ggml-cuda/rope.cu), without code of the engine, correctly and with mistakes.

#include "check_dump.h"

namespace ropescope {

namespace {

enum class RecurrenceWay { cpu, gpu, fast_gpu };

struct Sim {
  RecurrenceWay way = RecurrenceWay::cpu;
  double freq_scale = 1;             ///< linear, YaRN
  std::vector<double> freq_factors;  ///< Llama 3, LongRoPE; empty: none
  std::vector<double> ramp;          ///< YaRN's mix of each pair; empty: none
  double amplitude = 1;
  double scale_error = 0;  ///< relative, of s
};

Sim by(RecurrenceWay way) {
  Sim sim;
  sim.way = way;
  return sim;
}

/// θ_0 … of a position.
std::vector<float> thetas(RecurrenceWay way, float position, float scale, int pairs) {
  std::vector<float> angles;
  float theta = position;
  // CUDA's powf under -use_fast_math: exp2f(k·__log2f(s)), whose logarithm is off by up to 2⁻²².
  const float logarithm = std::log2(scale) + 0x1p-22F;
  for (int k = 0; k < pairs; ++k) {
    const auto power = static_cast<float>(k);
    if (way == RecurrenceWay::cpu) angles.push_back(theta);
    if (way == RecurrenceWay::gpu) angles.push_back(position * std::pow(scale, power));
    if (way == RecurrenceWay::fast_gpu) angles.push_back(position * std::exp2(power * logarithm));
    theta *= scale;
  }
  return angles;
}

float scale_of(double base, int dim, double error) {
  const float scale = std::pow(static_cast<float>(base), -2.0F / static_cast<float>(dim));
  return static_cast<float>(static_cast<double>(scale) * (1 + error));
}

struct Tables {
  std::int64_t rows = 0, pairs = 0;
  std::vector<double> cosine, sine;

  void add(float angle, double amplitude) {
    const auto by = static_cast<float>(amplitude);
    cosine.push_back(static_cast<double>(std::cos(angle) * by));
    sine.push_back(static_cast<double>(std::sin(angle) * by));
  }
  CheckInputs stored(Storage storage = Storage::float32) const {
    return cos_and_sin({rows, pairs}, cosine, sine, storage);
  }
};

Tables rope_tables(const std::vector<double>& positions, int dim, double base, const Sim& sim) {
  Tables tables;
  tables.rows = static_cast<std::int64_t>(positions.size());
  tables.pairs = dim / 2;
  for (const double position : positions) {
    const std::vector<float> angles =
        thetas(sim.way, static_cast<float>(position), scale_of(base, dim, sim.scale_error), dim / 2);
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const float extrapolated =
          sim.freq_factors.empty() ? angles[k] : angles[k] / static_cast<float>(sim.freq_factors[k]);
      float angle = static_cast<float>(sim.freq_scale) * extrapolated;
      if (!sim.ramp.empty()) {
        const auto mix = static_cast<float>(sim.ramp[k]);
        angle = angle * (1 - mix) + extrapolated * mix;
      }
      tables.add(angle, sim.amplitude);
    }
  }
  return tables;
}

/// Short ones and long ones, up to 131 071.
std::vector<double> list_recurrence_positions() {
  std::vector<double> list = counted_positions(256);
  for (int i = 1; i <= 512; ++i) list.push_back(256.0 * i - 1);
  return list;
}

RotarySpec make_recurrence_spec(int dim, double base) {
  return {.head_dim = dim, .axes = {RotaryAxis{.rotary_dim = dim, .base = base}}};
}

/// A rope with what ggml is given for it.
struct Model {
  std::string name;
  RotarySpec spec;
  std::optional<double> length;
  Sim sim;

  int dim() const { return spec.axes[0].rotary_dim; }
  CheckReference reference() const { return reference_from_rope(spec, length, list_recurrence_positions()); }
  Tables tables(RecurrenceWay way, const std::vector<double>& at = list_recurrence_positions()) const {
    Sim own = sim;
    own.way = way;
    return rope_tables(at, dim(), spec.axes[0].base, own);
  }
};

/// From the definitions of Llama 3, YaRN and LongRoPE: what each pair's plain frequency is divided by, or kept of it.
std::vector<Model> models() {
  std::vector<Model> all;
  all.push_back({"plain", make_recurrence_spec(128, 10000), {}, {}});
  all.push_back({"narrow", make_recurrence_spec(64, 500000), {}, {}});
  all.push_back({"wide", make_recurrence_spec(256, 1e6), {}, {}});
  Model linear{"linear", make_recurrence_spec(128, 10000), {}, {}};
  linear.spec.trained_length = 4096;
  linear.spec.extension = {"linear", {{"factor", 4}}, {}};
  linear.sim.freq_scale = 0.25;
  all.push_back(linear);
  Model llama{"llama3", make_recurrence_spec(128, 500000), {}, {}};
  llama.spec.trained_length = 8192;
  llama.spec.extension = {"llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, {}};
  Model yarn{"yarn", make_recurrence_spec(128, 1e6), {}, {}};
  yarn.spec.trained_length = 32768;
  yarn.spec.extension = {"yarn", {{"factor", 4}}, {}};
  yarn.sim.freq_scale = 0.25;
  yarn.sim.amplitude = 0.1 * std::log(4.0) + 1;
  const auto turned = [](double turns, double trained, int dim, double base) {
    return dim * std::log(trained / (turns * 2 * M_PI)) / (2 * std::log(base));
  };
  const double low = std::floor(turned(32, 32768, 128, 1e6)), high = std::ceil(turned(1, 32768, 128, 1e6));
  for (int k = 0; k < 64; ++k) {
    const double length = 2 * M_PI * std::pow(500000.0, 2.0 * k / 128), smooth = (8192 / length - 1) / 3;
    llama.sim.freq_factors.push_back(length < 2048 ? 1 : length > 8192 ? 8 : 1 / ((1 - smooth) / 8 + smooth));
    yarn.sim.ramp.push_back(1 - std::clamp((k - low) / (high - low), 0.0, 1.0));
  }
  all.push_back(llama);
  all.push_back(yarn);
  Model longer{"longrope", make_recurrence_spec(96, 10000), 8192, {}};
  longer.spec.trained_length = 4096;
  longer.spec.extension = {"longrope", {{"factor", 32}}, {}};
  for (int pair = 0; pair < 48; ++pair) {
    longer.spec.extension.lists["short_factors"].push_back(1 + 0.01 * pair);
    longer.spec.extension.lists["long_factors"].push_back(1 + 0.05 * pair * pair);
    longer.sim.freq_factors.push_back(1 + 0.05 * pair * pair);
  }
  longer.sim.amplitude = std::sqrt(1 + std::log(32.0) / std::log(4096.0));
  all.push_back(longer);
  return all;
}

Model load_published_model(const std::string& name) {
  const std::vector<Model> all = models();
  return *std::find_if(all.begin(), all.end(), [&](const Model& one) { return one.name == name; });
}

constexpr RecurrenceWay kRecurrenceWays[] = {RecurrenceWay::cpu, RecurrenceWay::gpu, RecurrenceWay::fast_gpu};

std::string title(const std::string& name, RecurrenceWay way) {
  return name + (way == RecurrenceWay::cpu ? " cpu" : way == RecurrenceWay::gpu ? " gpu" : " fast gpu");
}

}  // namespace

TEST(CheckRecurrence, AgreesAndIsTold) {
  for (const Model& one : models()) {
    for (const RecurrenceWay way : kRecurrenceWays) {
      const CheckReport report = check(one.reference(), one.tables(way).stored());
      EXPECT_EQ(names_of(report), "agrees") << title(one.name, way);
      EXPECT_EQ(report.verdict, Verdict::agrees) << title(one.name, way);
      // What GPUs compute stays within other float32 code's own error where the base is large.
      if (!report.recurrence && way != RecurrenceWay::cpu) continue;
      ASSERT_TRUE(report.recurrence) << title(one.name, way);
      EXPECT_EQ(report.recurrence->way, way == RecurrenceWay::cpu ? Recurrence::cpu : Recurrence::gpu)
          << title(one.name, way);
      EXPECT_GT(report.recurrence->difference, 1e-5) << title(one.name, way);
      EXPECT_LT(report.recurrence->difference, 0.1) << title(one.name, way);
      EXPECT_GT(report.recurrence->position, 1000) << title(one.name, way);
      const bool cpu = way == RecurrenceWay::cpu;
      EXPECT_TRUE(has_note(report, cpu ? "check.note.recurrence_cpu" : "check.note.recurrence_gpu"))
          << title(one.name, way);
    }
  }
}

TEST(CheckRecurrence, NamesItsLargestDifference) {
  const Model one = load_published_model("plain");
  const Tables tables = one.tables(RecurrenceWay::cpu);
  double largest = 0, at = 0;
  for (std::size_t i = 0; i < tables.cosine.size(); ++i) {
    const double position = list_recurrence_positions()[i / 64];
    const double angle = position * std::pow(10000.0, -2.0 * static_cast<double>(i % 64) / 128);
    for (const double off : {tables.cosine[i] - std::cos(angle), tables.sine[i] - std::sin(angle)}) {
      if (std::abs(off) > largest) largest = std::abs(off), at = position;
    }
  }
  const CheckReport report = check(one.reference(), tables.stored());
  ASSERT_TRUE(report.recurrence);
  EXPECT_NEAR(report.recurrence->difference, largest, 1e-9);
  EXPECT_EQ(report.recurrence->position, at);
}

TEST(CheckRecurrence, AgreesInShortFormats) {
  const Model one = load_published_model("plain");
  for (const RecurrenceWay way : kRecurrenceWays) {
    const CheckReport report = check(one.reference(), one.tables(way).stored(Storage::float16));
    EXPECT_EQ(names_of(report), "agrees") << title("float16", way);
    Tables rounded = one.tables(way);
    for (auto* numbers : {&rounded.cosine, &rounded.sine}) {
      for (double& number : *numbers) number = round_to_bfloat16(number);
    }
    const CheckReport kept = check(one.reference(), rounded.stored());
    EXPECT_EQ(kept.verdict, Verdict::agrees) << title("bfloat16 in float32", way);
    EXPECT_EQ(names_of(kept), "table-format") << title("bfloat16 in float32", way);
  }
}

TEST(CheckRecurrence, AgreesForLayouts) {
  // Each axis has a chain of its own; those of M-RoPE go on through all pairs of the head.
  int told = 0;
  for (const char* name : {"flux.1", "qwen-image", "wan", "qwen2-vl", "hunyuan-video"}) {
    const CheckCase one = layout_case(name, 64, 48);
    const Dump dump = true_dump(one.reference);
    for (const RecurrenceWay way : kRecurrenceWays) {
      Tables tables;
      tables.rows = static_cast<std::int64_t>(dump.rows());
      tables.pairs = static_cast<std::int64_t>(dump.pairs());
      for (std::size_t row = 0; row < dump.rows(); ++row) {
        for (std::size_t pair = 0; pair < dump.pairs(); ++pair) {
          for (std::size_t axis = 0; axis < dump.axes(); ++axis) {
            const std::vector<double>& of = dump.frequencies[axis];
            if (of[pair] == 0) continue;
            const auto first = std::find_if(of.begin(), of.end(), [](double f) { return f != 0; }) - of.begin();
            const double ratio = of[static_cast<std::size_t>(first) + 1] / of[static_cast<std::size_t>(first)];
            const auto steps = static_cast<int>(std::lround(std::log(of[pair]) / std::log(ratio)));
            const double id = dump.id_scale[axis] * dump.ids[row][axis] + dump.id_offset[axis];
            tables.add(thetas(way, static_cast<float>(1000 * id), static_cast<float>(ratio), steps + 1).back(),
                       dump.amplitude);
            break;
          }
        }
      }
      // Ids of images are small: a thousand times as far, so that float32 shows at all.
      CheckReference reference = one.reference;
      for (LayoutAxis& axis : reference.tokens.axes) axis.id_scale *= 1000, axis.id_offset *= 1000;
      const CheckReport report = check(reference, tables.stored());
      EXPECT_EQ(names_of(report), "agrees") << title(name, way);
      told += report.recurrence ? 1 : 0;
    }
  }
  // Short ladders stay within what other float32 code errs by.
  EXPECT_GT(told, 0);
}

TEST(CheckRecurrence, AgreesForVectors) {
  const Model one = load_published_model("plain");
  for (const RecurrenceWay way : kRecurrenceWays) {
    const Tables tables = one.tables(way);
    std::vector<double> before, after;
    for (std::size_t row = 0; row < list_recurrence_positions().size(); ++row) {
      std::vector<float> x;
      for (int channel = 0; channel < 128; ++channel)
        x.push_back(static_cast<float>(std::sin(1.7 * channel + 0.3 * static_cast<double>(row % 97))));
      for (std::size_t channel = 0; channel < 128; ++channel) {
        const std::size_t pair = channel % 64, other = channel < 64 ? channel + 64 : channel - 64;
        const auto c = static_cast<float>(tables.cosine[row * 64 + pair]);
        const auto s = static_cast<float>(tables.sine[row * 64 + pair]);
        const float turned = channel < 64 ? x[channel] * c - x[other] * s : x[channel] * c + x[other] * s;
        before.push_back(static_cast<double>(x[channel]));
        after.push_back(static_cast<double>(turned));
      }
    }
    CheckInputs inputs;
    inputs.before = store_values("before", {tables.rows, 128}, before, Storage::float32);
    inputs.after = store_values("after", {tables.rows, 128}, after, Storage::float32);
    const CheckReport report = check(one.reference(), inputs);
    EXPECT_EQ(names_of(report), "agrees") << title("vectors", way);
    ASSERT_TRUE(report.recurrence) << title("vectors", way);
    EXPECT_EQ(report.recurrence->way, way == RecurrenceWay::cpu ? Recurrence::cpu : Recurrence::gpu)
        << title("vectors", way);
  }
}

TEST(CheckRecurrence, ACauseBesideItIsNamed) {
  const Model plain = load_published_model("plain");
  const auto moved = [](double by, double times) {
    std::vector<double> list = list_recurrence_positions();
    for (double& position : list) position = times * position + by;
    return list;
  };
  for (const RecurrenceWay way : kRecurrenceWays) {
    const auto expect = [&](const std::string& cause, const CheckReference& reference, const Tables& tables) {
      const CheckReport report = check(reference, tables.stored());
      EXPECT_EQ(names_of(report), cause) << title(cause, way);
      EXPECT_EQ(report.verdict, cause == "sign" ? report.verdict : Verdict::disagrees) << title(cause, way);
      return report;
    };
    // Of powers of a rounded s another base is as good.
    for (const double base : {500000.0, 10010.0, 9999.0}) {
      const CheckReport report =
          expect("base", plain.reference(), rope_tables(list_recurrence_positions(), 128, base, by(way)));
      EXPECT_NEAR(number_of(report, "base"), base, 2e-5 * base) << title("base", way);
    }
    expect("position-offset", plain.reference(), plain.tables(way, moved(1, 1)));
    // Farther than 131 071 fast powers are off by more than a candidate may be.
    const CheckReport half = expect("position-scale", plain.reference(), plain.tables(way, moved(0, 0.5)));
    EXPECT_NEAR(number_of(half, "factor"), 0.5, 1e-9) << title("position-scale", way);
    Tables other = plain.tables(way);
    for (double& number : other.sine) number = -number;
    expect("sign", plain.reference(), other);
    other = plain.tables(way);
    for (auto* numbers : {&other.cosine, &other.sine}) {
      for (double& number : *numbers) number *= 1.125;
    }
    expect("amplitude", plain.reference(), other);
    // Two at once.
    Tables late = plain.tables(way, moved(7, 1));
    for (double& number : late.sine) number = -number;
    const std::string two = names_of(check(plain.reference(), late.stored()));
    EXPECT_TRUE(two == "sign + position-offset" || two == "position-offset + sign") << title(two, way);
    // A cache that ends.
    std::vector<double> clamped;
    for (int i = 0; i < 400; ++i) clamped.push_back(std::min(i, 250));
    const CheckReference counting = reference_from_rope(plain.spec, std::nullopt);
    EXPECT_EQ(names_of(check(counting, plain.tables(way, clamped).stored())), "position-offset") << title("end", way);
    const Model llama = load_published_model("llama3");
    expect("scaling-missing", llama.reference(), rope_tables(list_recurrence_positions(), 128, 500000, by(way)));
  }
}

TEST(CheckRecurrence, BeyondItsBoundNothingIsTolerated) {
  const Model plain = load_published_model("plain");
  Sim off;
  off.scale_error = 16 * 0x1p-24;  // three times what s can be off by: the base 10 000.6
  const CheckReport report =
      check(plain.reference(), rope_tables(list_recurrence_positions(), 128, 10000, off).stored());
  EXPECT_EQ(names_of(report), "base");
  EXPECT_NEAR(number_of(report, "base"), 10000 * (1 - 64 * off.scale_error), 0.05);
  // One angle of one row, off by three times what 20 roundings and the scale can give.
  Tables tables = plain.tables(RecurrenceWay::cpu);
  const std::size_t at = 700 * 64 + 20;
  const double angle = list_recurrence_positions()[700] * std::pow(10000.0, -40.0 / 128) * (1 + 3 * 130 * 0x1p-24);
  tables.cosine[at] = std::cos(angle), tables.sine[at] = std::sin(angle);
  EXPECT_EQ(check(plain.reference(), tables.stored()).verdict, Verdict::disagrees);
  // Where nothing is multiplied on, nothing more is allowed.
  tables = plain.tables(RecurrenceWay::cpu);
  for (std::size_t row = 0; row < list_recurrence_positions().size(); ++row) {
    const double first = list_recurrence_positions()[row] * (1 + 0x1p-19);
    tables.cosine[row * 64] = std::cos(first), tables.sine[row * 64] = std::sin(first);
  }
  EXPECT_EQ(check(plain.reference(), tables.stored()).verdict, Verdict::disagrees);
}

TEST(CheckRecurrence, OtherFloat32CodeIsNotCalledIt) {
  for (const Model& one : models()) {
    const CheckReference reference = one.reference();
    const CheckReport report = check(reference, tables_of(true_dump(reference)));
    EXPECT_EQ(names_of(report), "agrees") << one.name;
    EXPECT_FALSE(report.recurrence) << one.name;
  }
}

TEST(CheckRecurrence, FrequenciesAloneHaveNoneOfIt) {
  const Model plain = load_published_model("plain");
  Dump dump = true_dump(plain.reference());
  for (std::size_t k = 0; k < 64; ++k) dump.frequencies[0][k] *= 1 + 4 * static_cast<double>(k) * 0x1p-24;
  CheckInputs inputs = frequencies_in(dump);
  const CheckReport report = check(plain.reference(), inputs);
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  EXPECT_FALSE(report.recurrence);
}

// A factor that prints as 1, a base that prints as the reference's own, is never a cause: whatever explains such
// numbers, "base 10 000 where 10 000 is due" does not.
TEST(CheckPrinted, WhatPrintsAsTheReferencesOwnIsNoCause) {
  const auto expect_none = [](const std::string& name, const CheckReference& reference, const Dump& dump) {
    const CheckReport report = check(reference, tables_of(dump, Storage::float64));
    // What is off by no more than rounding is tolerated; where no pair has been multiplied on it is not.
    const bool of_all = name == "position-scale" || name == "amplitude";
    EXPECT_TRUE(report.verdict == Verdict::disagrees || !of_all) << name;
    for (const CheckCause& cause : report.causes) {
      for (const CheckParameter& parameter : cause.parameters) {
        const auto* number = std::get_if<double>(&parameter.value);
        const bool same =
            number != nullptr && (std::abs(*number - 1) < 4e-6 || std::abs(*number / 10000 - 1) < 4e-6 ||
                                  std::abs(*number / 500000 - 1) < 4e-6 || std::abs(*number / 8 - 1) < 4e-6 ||
                                  std::abs(*number / 8192 - 1) < 4e-6);
        EXPECT_FALSE(same) << name << ": " << cause.name << " " << parameter.name << " " << *number;
      }
    }
  };
  constexpr double kLittle = 1 + 2e-6;
  for (const char* name : {"plain", "llama3"}) {
    const Model one = load_published_model(name);
    const CheckReference reference = one.reference();
    const Dump truth = true_dump(reference);
    const auto respecified = [&](const auto& change) {
      RotarySpec spec = one.spec;
      change(spec);
      return true_dump(reference_from_rope(spec, {}, list_recurrence_positions()));
    };
    expect_none("base", reference, respecified([](RotarySpec& spec) { spec.axes[0].base *= 1 + 2e-5 / 64; }));
    Dump dump = truth;
    for (auto& ids : dump.ids) ids[0] *= kLittle;
    expect_none("position-scale", reference, dump);
    dump = truth;
    dump.amplitude = kLittle;
    expect_none("amplitude", reference, dump);
    if (name == std::string("plain")) continue;
    for (const char* number : {"factor", "low_frequency_factor", "high_frequency_factor"}) {
      expect_none(number, reference, respecified([&](RotarySpec& spec) { spec.extension.numbers[number] *= kLittle; }));
    }
    expect_none("trained_length", reference, respecified([](RotarySpec& spec) { *spec.trained_length *= kLittle; }));
  }
}

}  // namespace ropescope
