#include "check_dump.h"

#include "core/layouts/layout.h"
#include "core/layouts/tables.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

LayoutRequest full_request(const Layout& layout, int rows, int columns) {
  LayoutRequest request;
  if (takes(layout, "image")) request.image = ImageSize::tokens(rows, columns);
  if (takes(layout, "text")) request.text = 9;
  if (takes(layout, "text_after")) request.text_after = 4;
  if (takes(layout, "frames")) request.frames = 3;
  if (takes(layout, "references")) request.references = {ImageSize::tokens(3, 4)};
  if (layout.name == "text") request.text = 40;
  if (layout.name == "ltx-video") request.head_dim = 128;
  if (takes(layout, "padded_to")) request.numbers["padded_to"] = 40;
  if (takes(layout, "axes")) request.axes = {{"t", 16, {}}, {"row", 24, 500.0}, {"column", 24, {}}};
  return request;
}

RotarySpec make_dump_spec(int head_dim, int rotary_dim, double base, Pairing pairing = Pairing::half_split) {
  return {.head_dim = head_dim, .pairing = pairing, .axes = {RotaryAxis{.rotary_dim = rotary_dim, .base = base}}};
}

RotarySpec extended(RotarySpec spec, double trained, const std::string& method, std::map<std::string, double> numbers) {
  spec.trained_length = trained;
  spec.extension = {method, std::move(numbers), {}};
  return spec;
}

RotarySpec long_rope() {
  RotarySpec spec = extended(make_dump_spec(96, 96, 10000), 4096, "longrope", {{"factor", 32}});
  for (int pair = 0; pair < 48; ++pair) {
    spec.extension.lists["short_factors"].push_back(1 + 0.01 * pair);
    spec.extension.lists["long_factors"].push_back(1 + 0.05 * pair * pair);
  }
  return spec;
}

double plain(const std::function<double(double)>& rounding, double value) {
  return rounding ? rounding(value) : value;
}

const CheckParameter* parameter_of(const CheckReport& report, const std::string& name) {
  if (report.causes.empty()) return nullptr;
  for (const CheckParameter& parameter : report.causes[0].parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

}  // namespace

std::vector<double> counted_positions(std::int64_t count) {
  std::vector<double> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), 0.0);
  return positions;
}

double Dump::angle(std::size_t row, std::size_t pair) const {
  double sum = 0;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    const double frequency = plain(round_frequency, frequencies[axis][pair]);
    sum += frequency * (id_scale[axis] * plain(round_id, ids[row][axis]) + id_offset[axis]);
  }
  return round_angle ? round_angle(round_to_float32(sum)) : sum;
}

std::size_t Dump::pair_of(std::size_t channel) const {
  if (repeats == Pairing::interleaved) return channel / 2;
  std::size_t first = 0;
  for (const std::size_t count : halves) {
    if (channel < 2 * (first + count)) return first + (channel - 2 * first) % count;
    first += count;
  }
  return channel % pairs();
}

std::size_t Dump::companion_of(std::size_t channel) const {
  if (companions == Pairing::interleaved) return channel ^ 1;
  std::size_t first = 0;
  for (const std::size_t count : halves) {
    if (channel < 2 * (first + count)) return 2 * first + (channel - 2 * first + count) % (2 * count);
    first += count;
  }
  return (channel + pairs()) % (2 * pairs());
}

CheckCase layout_case(const std::string& name, int rows, int columns) {
  const Layout& layout = find_layout(name);
  return {name, reference_from_layout(layout, full_request(layout, rows, columns))};
}

std::vector<CheckCase> layout_cases() {
  std::vector<CheckCase> cases;
  for (const Layout& layout : all_layouts()) cases.push_back(layout_case(std::string(layout.name)));
  return cases;
}

std::vector<CheckCase> rope_cases() {
  const auto interleaved = Pairing::interleaved;
  std::vector<CheckCase> cases;
  const auto add = [&](const std::string& name, const RotarySpec& spec, std::optional<double> length = {}) {
    cases.push_back({name, reference_from_rope(spec, length, counted_positions(64))});
  };
  add("plain", make_dump_spec(128, 128, 10000));
  add("plain-interleaved", make_dump_spec(64, 64, 500000, interleaved));
  add("partial", make_dump_spec(80, 32, 10000));
  add("linear", extended(make_dump_spec(128, 128, 10000), 4096, "linear", {{"factor", 4}}));
  add("ntk-aware", extended(make_dump_spec(128, 128, 10000), 4096, "ntk-aware", {{"factor", 4}}));
  add("dynamic", extended(make_dump_spec(128, 128, 10000), 2048, "dynamic", {{"factor", 2}}), 6000);
  add("dynamic-short", extended(make_dump_spec(128, 128, 10000), 2048, "dynamic", {{"factor", 2}}), 1000);
  add("yarn", extended(make_dump_spec(128, 128, 1e6), 32768, "yarn", {{"factor", 4}}));
  add("yarn-mscale", extended(make_dump_spec(64, 64, 10000, interleaved), 4096, "yarn",
                              {{"factor", 40}, {"mscale", 1}, {"mscale_all_dim", 1}}));
  add("llama3", extended(make_dump_spec(128, 128, 500000), 8192, "llama3",
                         {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}));
  add("longrope", long_rope(), 8192);
  add("ntk-by-parts", extended(make_dump_spec(128, 128, 10000), 4096, "ntk-by-parts", {{"factor", 8}}));
  return cases;
}

CheckCase rope_case(const std::string& name) {
  for (const CheckCase& one : rope_cases()) {
    if (one.name == name) return one;
  }
  throw std::invalid_argument("no rope " + name);
}

std::vector<CheckCase> layout_and_rope_cases() {
  std::vector<CheckCase> cases = layout_cases();
  for (CheckCase& one : rope_cases()) cases.push_back(std::move(one));
  return cases;
}

Dump true_dump(const CheckReference& reference) {
  const TokenLayout& tokens = reference.tokens;
  Dump dump;
  dump.amplitude = reference.amplitude;
  dump.repeats = tokens.pairing;
  dump.companions = tokens.table_mismatch ? Pairing::half_split : tokens.pairing;
  if (tokens.table_mismatch && tokens.halves_by_axis) std::swap(dump.repeats, dump.companions);
  for (const LayoutAxis& axis : tokens.axes) {
    if (tokens.halves_by_axis) dump.halves.push_back(static_cast<std::size_t>(axis.rotary_dim / 2));
  }
  for (std::int64_t row = 0; row < tokens.row_count(); ++row) {
    dump.ids.push_back(ids_of(tokens, row));
    dump.parts.push_back(tokens.blocks[place_of(tokens, row).block].part);
  }
  for (Eigen::Index axis = 0; axis < tokens.frequencies.rows(); ++axis) {
    const Eigen::VectorXd of_axis = tokens.frequencies.row(axis).transpose();
    dump.frequencies.emplace_back(of_axis.begin(), of_axis.end());
    dump.id_scale.push_back(tokens.axes[static_cast<std::size_t>(axis)].id_scale);
    dump.id_offset.push_back(tokens.axes[static_cast<std::size_t>(axis)].id_offset);
  }
  return dump;
}

void put_tables(CheckInputs& inputs, const Dump& dump, Storage storage, TableForm form) {
  const auto rows = static_cast<std::int64_t>(dump.rows()), pairs = static_cast<std::int64_t>(dump.pairs());
  std::vector<double> cosine, sine, complex_table, matrices;
  for (std::size_t row = 0; row < dump.rows(); ++row) {
    const std::size_t width = form == TableForm::repeated ? 2 * dump.pairs() : dump.pairs();
    for (std::size_t column = 0; column < width; ++column) {
      std::size_t pair = column;
      if (form == TableForm::repeated) {
        pair = dump.repeats == Pairing::interleaved ? column / 2 : column % dump.pairs();
      }
      const double angle = dump.angle(row, pair) * (dump.conjugate ? -1 : 1);
      double c = plain(dump.round_table, dump.amplitude * std::cos(angle));
      double s = plain(dump.round_table, dump.amplitude * std::sin(angle));
      if (dump.exchanged) std::swap(c, s);
      cosine.push_back(c);
      sine.push_back(s);
      complex_table.insert(complex_table.end(), {c, s});
      matrices.insert(matrices.end(), {c, -s, s, c});
    }
  }
  const bool wide = storage == Storage::float64;
  switch (form) {
    case TableForm::once:
    case TableForm::repeated: {
      const std::int64_t width = form == TableForm::repeated ? 2 * pairs : pairs;
      inputs.cosine = store_values("cos.npy", {rows, width}, cosine, storage);
      inputs.sine = store_values("sin.npy", {rows, width}, sine, storage);
      break;
    }
    case TableForm::complex_numbers:
      inputs.table =
          store_values("table.npy", {rows, pairs}, complex_table, wide ? Storage::complex128 : Storage::complex64);
      break;
    case TableForm::real_and_imaginary:
      inputs.table = store_values("table.npy", {rows, pairs, 2}, complex_table, storage);
      break;
    case TableForm::matrices:
      inputs.table = store_values("table.npy", {rows, pairs, 2, 2}, matrices, storage);
      break;
  }
}

void put_ids(CheckInputs& inputs, const Dump& dump, Storage storage) {
  std::vector<double> ids;
  for (const std::vector<double>& row : dump.ids) {
    for (const double id : row) ids.push_back(plain(dump.round_id, id));
  }
  inputs.ids = store_values("ids.npy", {static_cast<std::int64_t>(dump.rows()), static_cast<std::int64_t>(dump.axes())},
                            ids, storage);
}

void put_frequencies(CheckInputs& inputs, const Dump& dump, Storage storage) {
  std::vector<double> frequencies;
  for (std::size_t pair = 0; pair < dump.pairs(); ++pair) {
    double sum = 0;
    for (std::size_t axis = 0; axis < dump.axes(); ++axis) sum += dump.frequencies[axis][pair];
    frequencies.push_back(plain(dump.round_frequency, sum));
  }
  inputs.frequencies =
      store_values("inv_freq.npy", {static_cast<std::int64_t>(frequencies.size())}, frequencies, storage);
}

void put_vectors(CheckInputs& inputs, const Dump& dump, Storage storage, int heads) {
  const auto rows = static_cast<std::int64_t>(dump.rows()), channels = static_cast<std::int64_t>(2 * dump.pairs());
  const std::size_t pairs = dump.pairs();
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> before, after;
  for (std::size_t row = 0; row < dump.rows(); ++row) {
    for (int head = 0; head < heads; ++head) {
      std::vector<double> x(2 * pairs);
      for (double& value : x) value = round_to_bfloat16(uniform(generator));
      for (std::size_t c = 0; c < 2 * pairs; ++c) {
        const std::size_t companion = dump.companion_of(c);
        const bool is_first = c < companion;
        const double angle = dump.angle(row, dump.pair_of(c)) * (dump.conjugate ? -1 : 1);
        double cosine = std::cos(angle), sine = std::sin(angle);
        if (dump.exchanged) std::swap(cosine, sine);
        const double turned = x[c] * cosine + (is_first ? -1 : 1) * x[companion] * sine;
        after.push_back(dump.amplitude * turned);
      }
      before.insert(before.end(), x.begin(), x.end());
    }
  }
  inputs.before = store_values("q_before.npy", {rows, heads, channels}, before, storage);
  inputs.after = store_values("q_after.npy", {rows, heads, channels}, after, storage);
}

CheckInputs ids_in(const Dump& dump, Storage storage) {
  CheckInputs inputs;
  put_ids(inputs, dump, storage);
  return inputs;
}

CheckInputs frequencies_in(const Dump& dump, Storage storage) {
  CheckInputs inputs;
  put_frequencies(inputs, dump, storage);
  return inputs;
}

CheckInputs vectors_in(const Dump& dump, Storage storage, int heads) {
  CheckInputs inputs;
  put_vectors(inputs, dump, storage, heads);
  return inputs;
}

CheckInputs tables_of(const Dump& dump, Storage storage, TableForm form) {
  CheckInputs inputs;
  put_tables(inputs, dump, storage, form);
  return inputs;
}

CheckInputs exact_tables(const TokenLayout& tokens, Storage storage) {
  const std::int64_t rows = tokens.row_count(), pairs = tokens.pair_count();
  std::vector<double> cosine(static_cast<std::size_t>(rows * pairs)), sine(cosine.size());
  LayoutTables(tokens).table_rows<double>(0, rows, cosine.data(), sine.data());
  return cos_and_sin({rows, pairs}, cosine, sine, storage);
}

std::string names_of(const CheckReport& report) {
  if (report.verdict == Verdict::no_evidence) return "no evidence";
  if (report.causes.empty()) return report.verdict == Verdict::agrees ? "agrees" : "disagrees";
  std::string names;
  for (const CheckCause& cause : report.causes) names += (names.empty() ? "" : " + ") + cause.name;
  return names;
}

double number_of(const CheckReport& report, const std::string& parameter) {
  const CheckParameter* found = parameter_of(report, parameter);
  const double* number = found == nullptr ? nullptr : std::get_if<double>(&found->value);
  return number == nullptr ? std::numeric_limits<double>::quiet_NaN() : *number;
}

std::vector<double> list_of(const CheckReport& report, const std::string& parameter) {
  const CheckParameter* found = parameter_of(report, parameter);
  const auto* list = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->value);
  return list == nullptr ? std::vector<double>{} : *list;
}

std::string text_of(const CheckReport& report, const std::string& parameter) {
  const CheckParameter* found = parameter_of(report, parameter);
  const auto* words = found == nullptr ? nullptr : std::get_if<Message>(&found->value);
  return words == nullptr ? "" : said(*words);
}

testing::AssertionResult finds(const CheckReport& report, const std::string& names,
                               const std::map<std::string, json>& parameters) {
  if (names_of(report) != names) return testing::AssertionFailure() << names_of(report) << " in place of " << names;
  for (const auto& [name, due] : parameters) {
    const json found = due.is_string()  ? json(text_of(report, name))
                       : due.is_array() ? json(list_of(report, name))
                                        : json(number_of(report, name));
    if (found != due) return testing::AssertionFailure() << name << " is " << found << " in place of " << due;
  }
  return testing::AssertionSuccess();
}

bool has_note(const CheckReport& report, const std::string& key, const TextValues& values) {
  EXPECT_TRUE(english_text().has(key)) << key;
  return std::any_of(report.notes.begin(), report.notes.end(), [&](const Message& note) {
    return note.key == key && std::all_of(values.begin(), values.end(), [&](const auto& value) {
             return std::any_of(note.values.begin(), note.values.end(), [&](const Message::Named& named) {
               Message alone;
               alone.values = {named};
               return named.name == value.first && said(alone) == value.second;
             });
           });
  });
}

CheckInputs with_signs(const Dump& dump, Storage storage, bool of_the_first) {
  CheckInputs inputs = tables_of(dump, storage, TableForm::repeated);
  const std::int64_t width = inputs.sine->shape[1];
  std::vector<double> sines = numbers_of(*inputs.sine);
  for (std::size_t i = 0; i < sines.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i) % width;
    const bool is_first = dump.repeats == Pairing::interleaved ? column % 2 == 0 : column < width / 2;
    if (is_first == of_the_first) sines[i] *= -1;
  }
  inputs.sine = store_values("sin.npy", inputs.sine->shape, sines, storage);
  return inputs;
}

}  // namespace ropescope
