// Position encodings in Python: encoding(), score() and attention(), with the numbers and names of the commands, and
// the lists of encodings and methods. Read ropes.h and core/encodings/encoding.h first.
//
// Contents: Fields; Values; Scores; Attention; Declaration.

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/python/docs.h"
#include "app/python/ropes.h"
#include "app/resources/text.h"
#include "core/attention/attention.h"
#include "core/encodings/encoding.h"
#include "core/encodings/matrix.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope::python {

namespace {

// --- Fields --------------------------------------------------------------------------------------------------------

/// The head of an encoding as the caller gave it.
struct HeadKeywords {
  py::object rope = py::none();
  std::optional<std::string> axis;
  std::optional<int> dim;       ///< channels; nullopt: those of the rope, or of the field
  double requested_length = 0;  ///< for a ladder that depends on the current length
  py::kwargs fields;
};

double field_value(const EncodingField& field, const py::handle& value) {
  const std::string name(field.name);
  if (std::holds_alternative<Pairing EncodingValues::*>(field.member)) {
    return static_cast<double>(choice_of<Pairing>(name, require<std::string>(value, name, "str")));
  }
  const auto number = require<double>(value, name, field.is_switch ? "bool" : field.whole ? "int" : "float");
  if (is_valid(field, number)) return number;
  throw InputError(name + " is " + number_text(number) + "; expected " + to_english(describe_valid_values(field)));
}

void put_fields(const py::kwargs& fields, const Encoding& encoding, EncodingValues& settings) {
  for (const auto& [key, value] : fields) {
    const std::string name = py::str(key);
    const auto field = std::find_if(encoding.settings.begin(), encoding.settings.end(),
                                    [&](const EncodingField& one) { return one.name == name; });
    if (field == encoding.settings.end()) {
      throw InputError("the encoding " + std::string(encoding.name) + " has no " + name + "; its fields are " +
                       joined(encoding.settings, ", ", &EncodingField::name));
    }
    set_value(settings, *field, field_value(*field, value));
  }
}

/// Takes channels, pairing and ladder from a rope; one axis of several is treated as a separate head.
void put_rope(const HeadKeywords& head, const Encoding& encoding, EncodingValues& settings) {
  if (!encoding.takes_ladder) {
    std::vector<std::string> rotating;
    for (const Encoding& one : all_encodings()) {
      if (one.takes_ladder) rotating.emplace_back(one.name);
    }
    throw InputError("rope is given, but the encoding " + std::string(encoding.name) + " does not rotate; expected " +
                     to_english(one_of(rotating)));
  }
  const PythonRope rope = rope_of(head.rope, {}, "rope");
  const RotarySpec& spec = rope.spec();
  if (spec.axes.size() > 1 && !head.axis) {
    throw InputError("the rope has several axes; expected axis to be one of " +
                     joined(spec.axes, ", ", &RotaryAxis::name));
  }
  const std::size_t axis = rope.axis(head.axis);
  const int channels = spec.axes.size() > 1 ? spec.axes[axis].rotary_dim : spec.head_dim;
  if (head.dim && *head.dim != channels) {
    throw InputError("the vectors have " + std::to_string(*head.dim) + " channels; expected " +
                     std::to_string(channels) + " as the rope");
  }
  settings.dim = channels;
  settings.pairing = spec.pairing;
  put_ladder(settings, encoding, spec.axes[axis], scaled_ladder(spec, axis, rope.length_for(head.requested_length)));
}

EncodingValues read_head(const Encoding& encoding, const HeadKeywords& head) {
  EncodingValues settings;
  settings.pairing = Pairing::half_split;
  put_fields(head.fields, encoding, settings);
  if (head.dim) settings.dim = *head.dim;
  if (!head.rope.is_none()) put_rope(head, encoding, settings);
  return settings;
}

/// Returns integers of an array of any shape.
std::vector<std::int64_t> integers_of(const py::handle& object, const std::string& name) {
  std::vector<std::int64_t> integers;
  constexpr double kMost = 0x1p50;
  for (const double value : numbers_of(object, name).values) {
    if (value != std::floor(value) || std::abs(value) > kMost) {
      throw InputError(name + " contains " + number_text(value) + "; expected integers up to 2^50");
    }
    integers.push_back(static_cast<std::int64_t>(value));
  }
  return integers;
}

void check_position(const EncodingModel& model, std::int64_t position) {
  if (model.plan().check_position) model.plan().check_position(position);
}

// --- Values --------------------------------------------------------------------------------------------------------

py::dict encoding_values(const std::string& name, const py::handle& positions, HeadKeywords head) {
  const Encoding& encoding = find_encoding(name);
  const std::vector<std::int64_t> places = integers_of(positions, "positions");
  for (const std::int64_t place : places) {
    head.requested_length = std::max(head.requested_length, std::abs(static_cast<double>(place)) + 1);
  }
  const auto model = make_model(encoding, read_head(encoding, head));
  if (encoding.values_by == ValuesBy::none) throw InputError("command.no_values", {{"encoding", name}});
  if (encoding.values_by == ValuesBy::position) {
    for (const std::int64_t place : places) check_position(*model, place);
  }
  py::dict parts;
  for (const std::string_view part : encoding.value_parts) {
    const std::int64_t columns = std::ssize(model->value_columns(part));
    py::array values = empty_array(Storage::float64, {std::ssize(places), columns});
    auto* const numbers = static_cast<double*>(values.mutable_data());
    const bool finite = unlocked([&](const std::stop_token&) {
      write_values(*model, part, places, numbers);
      // 0 if all of them are finite; Eigen's allFinite() looks at one number at a time.
      const auto zeros = 0 * Eigen::Map<const Eigen::ArrayXd>(numbers, std::ssize(places) * columns);
      return zeros.sum() == 0;
    });
    if (!finite) throw InputError("the part " + std::string(part) + " overflows; use positions closer to 0");
    parts[std::string(part).c_str()] = values;
  }
  return parts;
}

// --- Scores --------------------------------------------------------------------------------------------------------

Eigen::VectorXd vector_of(const py::handle& object, const std::string& name) {
  Numbers numbers = numbers_of(object, name);
  if (numbers.shape.size() != 1) throw InputError(name + " is not a vector; expected one number per channel");
  return Eigen::Map<const Eigen::VectorXd>(numbers.values.data(), std::ssize(numbers.values));
}

py::dict score(const std::string& name, const py::handle& query, const py::handle& key, std::int64_t query_position,
               std::int64_t key_position, HeadKeywords head) {
  const Encoding& encoding = find_encoding(name);
  const Eigen::VectorXd q = vector_of(query, "query"), k = vector_of(key, "key");
  if (q.size() != k.size()) throw InputError("query and key have different numbers of channels");
  head.dim = static_cast<int>(q.size());
  head.requested_length = static_cast<double>(std::max(query_position, key_position)) + 1;
  const auto model = make_model(encoding, read_head(encoding, head));
  py::dict terms;
  double total = 0;
  for (const ScoreTerm& term : model->terms(q, k, query_position, key_position)) {
    terms[term.name.c_str()] = term.value;
    total += term.value;
  }
  py::dict answer;
  answer["total"] = total;
  answer["scale"] = model->scale();
  answer["terms"] = terms;
  return answer;
}

// --- Attention -----------------------------------------------------------------------------------------------------

/// Number of weights in memory of one request: 16 GiB.
constexpr std::int64_t kMaxWeights = std::int64_t{1} << 31;

/// Queries or keys of all heads: [tokens, channels] or [heads, tokens, channels].
struct HeadVectors {
  std::vector<double> values;
  std::int64_t heads = 1, tokens = 0, channels = 0;

  TokenMatrix of(std::int64_t head) const {
    return Eigen::Map<const TokenMatrix>(values.data() + head * tokens * channels, tokens, channels);
  }
};

HeadVectors head_vectors(const py::handle& object, const std::string& name) {
  Numbers numbers = numbers_of(object, name);
  const std::size_t axes = numbers.shape.size();
  if (axes != 2 && axes != 3) {
    throw InputError(name + " has " + std::to_string(axes) +
                     " axes; expected [tokens, channels] or [heads, tokens, channels]");
  }
  return {std::move(numbers.values), axes == 3 ? numbers.shape[0] : 1, numbers.shape[axes - 2],
          numbers.shape[axes - 1]};
}

/// A request, complete before anything is computed.
struct AttentionTask {
  const Encoding* encoding = nullptr;
  EncodingValues settings;
  AttentionKind kind = AttentionKind::softmax;
  AttentionOptions options;
  ContentKind content = ContentKind::random;
  std::optional<HeadVectors> queries, keys;
  std::int64_t heads = 1, tokens = 0;

  AttentionInput input(std::int64_t head) const {
    if (queries) return {queries->of(head), keys->of(head * keys->heads / queries->heads), {}};
    AttentionInput made = make_content(content, static_cast<int>(tokens), settings.dim, 1,
                                       settings.seed + static_cast<std::uint64_t>(head));
    made.values.resize(0, 0);
    return made;
  }
};

void put_vectors(const py::object& q, const py::object& k, AttentionTask& task) {
  task.queries = head_vectors(q, "q");
  task.keys = head_vectors(k, "k");
  const HeadVectors &queries = *task.queries, &keys = *task.keys;
  if (queries.tokens != keys.tokens || queries.channels != keys.channels) {
    throw InputError("q and k have different numbers of tokens or channels");
  }
  if (keys.heads < 1 || queries.heads % keys.heads != 0) {
    throw InputError("q has " + std::to_string(queries.heads) + " heads and k " + std::to_string(keys.heads) +
                     "; expected a multiple");
  }
  task.heads = queries.heads;
  task.tokens = queries.tokens;
}

/// Reads the vectors, or the number of synthetic tokens, and the fields of the encoding for them.
void put_input(const py::object& q, const py::object& k, const std::optional<int>& tokens, HeadKeywords& head,
               AttentionTask& task) {
  if (q.is_none() != k.is_none()) throw InputError("q and k are needed together");
  if (q.is_none() == !tokens) throw InputError("expected q and k, or tokens for synthetic content");
  if (!q.is_none()) {
    put_vectors(q, k, task);
    head.dim = static_cast<int>(task.queries->channels);
  } else {
    task.tokens = *tokens;
    if (head.fields.contains("heads")) task.heads = require<int>(head.fields["heads"], "heads", "int");
  }
  if (task.tokens < 1 || task.heads < 1 || task.heads > kMaxWeights / task.tokens / task.tokens) {
    throw InputError(std::to_string(task.heads) + " heads of " + std::to_string(task.tokens) +
                     " tokens have too many weights; expected at most 2^31");
  }
  head.requested_length = static_cast<double>(task.options.first_position + task.tokens);
  // The number of heads is that of the vectors, whether the encoding uses it or not.
  py::kwargs fields = py::dict(head.fields).attr("copy")();
  if (fields.contains("heads")) fields.attr("pop")("heads");
  head.fields = fields;
  task.settings = read_head(*task.encoding, head);
}

void put_features(const std::optional<int>& features, AttentionTask& task) {
  const bool random_features = task.options.kernel == LinearKernel::random_features;
  if (features && !random_features) throw InputError("features is given; expected kernel=\"performer\" with it");
  if (!random_features) return;
  const int each = features.value_or(1);
  if (each < 1 || each > kMaxFeaturesPerChannel) {
    throw InputError("features is " + std::to_string(each) + "; expected an integer from 1 to " +
                     std::to_string(kMaxFeaturesPerChannel));
  }
  task.options.random_features = each * task.settings.dim;
}

py::array weights_of(const AttentionTask& task) {
  py::array out = empty_array(Storage::float64, {task.heads, task.tokens, task.tokens});
  unlocked([&](const std::stop_token& stop) {
    for (std::int64_t index = 0; index < task.heads; ++index) {
      EncodingValues settings = task.settings;
      settings.heads = static_cast<int>(task.heads);
      settings.head = static_cast<int>(index + 1);
      const auto model = make_model(*task.encoding, settings);
      check_position(*model, task.options.first_position);
      check_position(*model, task.options.first_position + task.tokens - 1);
      const AttentionInput input = task.input(index);
      // Rows of a part at a time: Ctrl+C is noticed in between.
      const Eigen::Index at_once = std::max<Eigen::Index>(1, (Eigen::Index{1} << 22) / task.tokens);
      for (Eigen::Index row = 0; row < task.tokens; row += at_once) {
        if (stop.stop_requested()) return false;
        const Eigen::Index count = std::min<Eigen::Index>(at_once, task.tokens - row);
        const RowMatrixXd weights = attention_weights(task.kind, *model, input, row, count, task.options);
        if (!weights.allFinite()) throw InputError("the weights overflow; use smaller vectors, or causal=True");
        put_numbers(out, Storage::float64, (index * task.tokens + row) * task.tokens,
                    {weights.data(), static_cast<std::size_t>(weights.size())});
      }
    }
    return true;
  });
  return out;
}

}  // namespace

// --- Declaration ---------------------------------------------------------------------------------------------------

void declare_encodings(py::module_& module) {
  using py::arg;
  const auto none = py::none();
  module.def(
      "encodings", [] { return names_of(all_encodings()); }, docs::kEncodings);
  module.def(
      "methods", [] { return names_of(all_scaling_methods()); }, docs::kMethods);
  module.def(
      "encoding",
      [](const std::string& name, const py::object& positions, std::optional<int> dim, const py::object& rope,
         const std::optional<std::string>& axis, const py::kwargs& fields) {
        return encoding_values(name, positions, {rope, axis, dim, 0, fields});
      },
      arg("name"), arg("positions"), py::kw_only(), arg("dim") = none, arg("rope") = none, arg("axis") = none,
      docs::kEncoding);
  module.def(
      "score",
      [](const std::string& name, const py::object& query, const py::object& key, std::int64_t query_position,
         std::int64_t key_position, const py::object& rope, const std::optional<std::string>& axis,
         const py::kwargs& fields) {
        return score(name, query, key, query_position, key_position, {rope, axis, {}, 0, fields});
      },
      arg("name"), arg("query"), arg("key"), arg("query_position"), arg("key_position"), py::kw_only(),
      arg("rope") = none, arg("axis") = none, docs::kScore);
  module.def(
      "attention",
      [](const std::string& encoding, const py::object& q, const py::object& k, const std::string& kind, bool causal,
         const std::optional<std::string>& kernel, std::optional<int> features, bool turn_vectors,
         std::optional<int> tokens, const std::string& content, std::optional<int> dim, std::int64_t first_position,
         const py::object& rope, const std::optional<std::string>& axis, int threads, const py::kwargs& fields) {
        AttentionTask task;
        task.options.threads = require_threads(threads);
        task.encoding = &find_encoding(encoding);
        task.kind = choice_of<AttentionKind>("kind", kind);
        task.content = choice_of<ContentKind>("content", content);
        const bool linear = task.kind == AttentionKind::linear;
        if (kernel && !linear) throw InputError("kernel is given; expected kind=\"linear\" with it");
        if (turn_vectors && !linear) throw InputError("turn_vectors is given; expected kind=\"linear\" with it");
        if (kernel) task.options.kernel = choice_of<LinearKernel>("kernel", *kernel);
        task.options.turned_vectors = turn_vectors;
        task.options.causal = causal;
        task.options.first_position = first_position;
        HeadKeywords head{rope, axis, dim, 0, fields};
        put_input(q, k, tokens, head, task);
        put_features(features, task);
        return weights_of(task);
      },
      arg("encoding"), arg("q") = none, arg("k") = none, py::kw_only(), arg("kind") = "softmax", arg("causal") = false,
      arg("kernel") = none, arg("features") = none, arg("turn_vectors") = false, arg("tokens") = none,
      arg("content") = "random", arg("dim") = none, arg("first_position") = 0, arg("rope") = none, arg("axis") = none,
      arg("threads") = 0, docs::kAttention);
}

}  // namespace ropescope::python
