// Attention dumps: detects the format, opens q, k and v, checks their shapes; notes; pair means. Read dump.h first.
//
// Contents: Dump; Notes; Means.

#include "core/formats/dumps/dump.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/check/reading/planes.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/formats/npy.h"
#include "core/formats/npz.h"
#include "core/formats/tensor_file.h"
#include "core/machine.h"
#include "core/message.h"
#include "core/parallel.h"

namespace ropescope {

// --- Dump ----------------------------------------------------------------------------------------------------------

namespace {

using Shape = std::vector<std::int64_t>;

bool is_zip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'};
}

/// Returns whether the file is a .safetensors: a JSON object follows the eight bytes of the header length.
bool is_object_file(std::span<const std::byte> bytes) {
  return bytes.size() >= 10 && bytes[8] == std::byte{'{'} && bytes[9] == std::byte{'"'};
}

bool is_npz(std::span<const std::byte> bytes, const std::string& source) {
  return is_zip(bytes) && !is_of_torch_or_ggml(bytes, source);
}

/// Returns whether the file can contain q and k by name; false for a .npy and for files without tensors.
bool has_names(std::span<const std::byte> bytes, const std::string& source) {
  return is_zip(bytes) || is_object_file(bytes) || is_of_torch_or_ggml(bytes, source);
}

/// Returns the names of the arrays; empty for a .npy.
std::vector<std::string> names_in(std::span<const std::byte> bytes, const std::string& source) {
  if (is_npz(bytes, source)) return list_npz(bytes, source);
  return has_names(bytes, source) ? list_tensors(bytes, source) : std::vector<std::string>{};
}

bool has_array(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Parses the number of "q.12": 12; nullopt unless it is written without leading zeros.
std::optional<std::int64_t> layer_number(const std::string& name, char part) {
  if (name.size() < 3 || name[0] != part || name[1] != '.') return {};
  std::int64_t number = 0;
  const char *begin = name.data() + 2, *end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(begin, end, number);
  const bool whole = error == std::errc() && stopped == end && number >= 0;
  return whole && std::to_string(number) == begin ? std::optional(number) : std::nullopt;
}

void check_format(const StoredTensor& tensor) {
  if (is_integer(tensor.storage)) throw InputError(tensor.name, "dump.integers", {});
  if (is_complex(tensor.storage)) throw InputError(tensor.name, "dump.complex", {});
}

/// One of q, k and v, with its name in errors.
struct Part {
  StoredTensor vectors;
  Message name;
};

/// Converts a tensor to [tokens, heads, channels].
Part part_of(StoredTensor tensor, Message name) {
  const Shape shape = tensor.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    throw InputError(name, "dump.shape", {{"shape", shape_text(shape)}});
  }
  if (tensor.count() == 0) throw InputError(name, "dump.empty", {{"shape", shape_text(shape)}});
  if (shape.size() == 2) {
    tensor.shape.insert(tensor.shape.begin() + 1, 1);
    tensor.strides.insert(tensor.strides.begin() + 1, 0);
  }
  return {std::move(tensor), std::move(name)};
}

Part part_of(const StoredTensor& tensor) {
  return part_of(tensor, verbatim(tensor.name));
}

/// Access to the named arrays of a file.
struct Arrays {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  const std::string& source;
  NpzLimits limits;

  /// Opens an array in its stored format, unpacked from a .npz or .pt; if `declared`, reads its header only.
  StoredTensor open(const std::string& name, bool declared) const {
    if (!is_npz(bytes, source)) return open_tensor(bytes, owner, source, name, {declared, limits.stop});
    return declared ? declare_npz_array(bytes, source, name, limits, NpyNumbers::plain)
                    : open_npz_array(bytes, source, name, limits, NpyNumbers::plain);
  }
};

/// Returns the names of q, k and (if present) v in a layer; without layer numbers the letters alone.
std::vector<std::string> names_of_layer(const Arrays& arrays, const std::optional<std::int64_t>& wanted) {
  const std::vector<std::int64_t> layers = dump_layers(arrays.bytes, arrays.source);
  std::string suffix;
  if (!layers.empty()) {
    const std::int64_t layer = wanted.value_or(layers.front());
    require_layer(layers, layer, arrays.source);
    suffix = "." + std::to_string(layer);
  }
  std::vector<std::string> names{"q" + suffix, "k" + suffix};
  if (has_array(names_in(arrays.bytes, arrays.source), "v" + suffix)) names.push_back("v" + suffix);
  return names;
}

/// Declares the named arrays from their headers.
std::vector<Part> declare_named(const Arrays& arrays, const std::vector<std::string>& names) {
  std::vector<Part> parts;
  for (const std::string& name : names) {
    const StoredTensor declared = arrays.open(name, true);
    check_format(declared);
    parts.push_back(part_of(declared));
  }
  return parts;
}

/// Throws unless the layer has the shapes of the file's first layer.
void check_first(const Arrays& arrays, const std::vector<Part>& parts) {
  const std::vector<Part> first = declare_named(arrays, names_of_layer(arrays, {}));
  for (std::size_t i = 0; i < std::min(first.size(), parts.size()); ++i) {
    const Shape &own = parts[i].vectors.shape, &expected = first[i].vectors.shape;
    if (own == expected) continue;
    throw InputError(parts[i].name, "dump.other_shape",
                     {{"shape", shape_text(own)}, {"name", first[i].name}, {"first", shape_text(expected)}});
  }
}

std::vector<Part> view_stacked(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                               const std::string& source) {
  const std::string_view beginning = characters_of(bytes);
  // Only the first byte is checked: for a .npy that is damaged after it, view_npy reports more.
  if (!beginning.starts_with('\x93')) throw InputError(source, "dump.unknown", {});
  const StoredTensor tensor = view_npy(bytes, std::move(owner), source, NpyNumbers::plain);
  check_format(tensor);
  const Shape& shape = tensor.shape;
  if ((shape.size() != 3 && shape.size() != 4) || (shape[0] != 2 && shape[0] != 3)) {
    throw InputError(source, "dump.stacked_shape", {{"shape", shape_text(shape)}});
  }
  std::vector<Part> parts;
  for (std::int64_t part = 0; part < shape[0]; ++part) {
    parts.push_back(part_of(select_slice(tensor, 0, part), {"dump.part", {{"file", source}, {"number", part}}}));
  }
  return parts;
}

void check_fit(const std::vector<Part>& parts, const std::string& source) {
  const Shape &q = parts[0].vectors.shape, &k = parts[1].vectors.shape;
  if (k[0] != q[0] || k[2] != q[2] || q[1] % k[1] != 0) {
    throw InputError(source, "dump.q_and_k", {{"q", shape_text(q)}, {"k", shape_text(k)}});
  }
  if (parts.size() == 2) return;
  const Shape& v = parts[2].vectors.shape;
  if (v[0] != k[0] || v[1] != k[1]) {
    throw InputError(source, "dump.k_and_v", {{"k", shape_text(k)}, {"v", shape_text(v)}});
  }
}

void take_shapes(const std::vector<Part>& parts, AttentionDump& dump) {
  const Shape& q = parts[0].vectors.shape;
  dump.tokens = q[0];
  dump.heads = q[1];
  dump.key_heads = parts[1].vectors.shape[1];
  dump.head_dim = q[2];
  dump.value_dim = parts.size() > 2 ? parts[2].vectors.shape[2] : 0;
}

/// Reads the first `tokens` rows of one head.
TokenMatrix rows_of(const StoredTensor& vectors, const Message& name, std::int64_t tokens, std::int64_t head) {
  const StoredTensor mine = select_slice(vectors, 1, head);
  TokenMatrix rows(tokens, mine.shape[1]);
  read_rows(mine, 0, tokens, rows.data());
  for (Eigen::Index token = 0; token < rows.rows(); ++token) {
    for (Eigen::Index channel = 0; channel < rows.cols(); ++channel) {
      const double number = rows(token, channel);
      if (std::isfinite(number)) continue;
      throw InputError(name, std::isnan(number) ? "dump.nan" : "dump.infinite",
                       {{"place", shape_text({token, head, channel})}});
    }
  }
  return rows;
}

// --- Notes ---------------------------------------------------------------------------------------------------------

using nlohmann::json;

constexpr std::string_view kPrefix = "ropescope.";
/// "seen" records, for users, where the writer found each tensor.
constexpr std::string_view kKnown[] = {"config", "layout", "options", "roles", "seen"};

/// Converts a value to a command-line argument; nullopt for an object or null.
std::optional<std::string> argument_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  return std::nullopt;
}

void read_options(const std::string& text, const std::string& place, DumpNotes& notes) {
  const json root = parse_json_object(text, place, {DuplicateKeys::refused});
  const Section section{&root, {}, verbatim(place)};
  for (const auto& [name, value] : root.items()) {
    std::vector<std::string> arguments;
    for (const json& each : value.is_array() ? value : json::array({value})) {
      const auto argument = argument_of(each);
      if (!argument) section.reject(name, Message("dump_notes.value"));
      arguments.push_back(*argument);
    }
    notes.options.emplace_back(name, std::move(arguments));
  }
}

void read_roles(const std::string& text, const std::string& place, DumpNotes& notes) {
  const json root = parse_json_object(text, place, {DuplicateKeys::refused});
  const Section section{&root, {}, verbatim(place)};
  for (const auto& [role, value] : root.items()) {
    if (std::find(std::begin(kDumpRoles), std::end(kDumpRoles), role) == std::end(kDumpRoles)) {
      const std::vector<std::string> known(std::begin(kDumpRoles), std::end(kDumpRoles));
      throw InputError(place, "dump_notes.role", {{"role", in_quotes(role)}, {"known", one_of(known)}});
    }
    if (const auto name = section.text(role)) notes.roles.emplace_back(role, name->value);
  }
}

}  // namespace

std::vector<std::int64_t> dump_layers(std::span<const std::byte> bytes, const std::string& source) {
  std::set<std::int64_t> of_q, of_k;
  for (const std::string& name : names_in(bytes, source)) {
    if (const auto number = layer_number(name, 'q')) of_q.insert(*number);
    if (const auto number = layer_number(name, 'k')) of_k.insert(*number);
  }
  std::vector<std::int64_t> alone;
  std::set_symmetric_difference(of_q.begin(), of_q.end(), of_k.begin(), of_k.end(), std::back_inserter(alone));
  if (!alone.empty()) {
    const char* missing = of_q.count(alone.front()) == 0 ? "q" : "k";
    throw InputError(source, "dump.half_layer",
                     {{"layer", alone.front()}, {"missing", missing}, {"other", *missing == 'q' ? "k" : "q"}});
  }
  return {of_q.begin(), of_q.end()};
}

AttentionDump parse_attention_dump(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                   const std::string& source, const DumpReading& reading) {
  Arrays arrays{bytes, std::move(owner), source, {}};
  arrays.limits.stop = reading.stop;
  const bool named = has_names(bytes, source);
  std::vector<std::string> names;
  if (named) names = names_of_layer(arrays, reading.layer);
  std::vector<Part> parts = named ? declare_named(arrays, names) : view_stacked(bytes, arrays.owner, source);
  check_fit(parts, source);
  if (named && reading.layer) check_first(arrays, parts);
  if (!reading.values) parts.resize(2);
  AttentionDump dump;
  take_shapes(parts, dump);
  if (reading.accept) reading.accept(dump);
  if (reading.shapes) return dump;
  StoredTensor* const kept[] = {&dump.q, &dump.k, &dump.v};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (named) parts[i] = part_of(arrays.open(names[i], false));
    *kept[i] = std::move(parts[i].vectors);
    dump.names[i] = std::move(parts[i].name);
  }
  return dump;
}

DumpShape parse_dump_shape(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                           const std::string& source, DumpReading reading) {
  std::vector<std::int64_t> layers = dump_layers(bytes, source);
  const bool numbered = !layers.empty();
  if (!numbered) layers = {0};
  reading.values = false;
  reading.shapes = true;
  const AttentionDump dump = parse_attention_dump(bytes, std::move(owner), source, reading);
  return {dump, source, std::move(layers), numbered};
}

void require_same_heads(const DumpShape& first, const DumpShape& second) {
  if (second.heads == first.heads && second.key_heads == first.key_heads && second.head_dim == first.head_dim) return;
  throw InputError(second.source, "dump.two_shapes",
                   {{"heads", second.heads},
                    {"head_dim", second.head_dim},
                    {"key_heads", second.key_heads},
                    {"other", first.source},
                    {"other_heads", first.heads},
                    {"other_dim", first.head_dim},
                    {"other_key_heads", first.key_heads}});
}

std::vector<std::int64_t> common_layers(const DumpShape& first, const DumpShape& second) {
  std::vector<std::int64_t> layers;
  std::set_intersection(first.layers.begin(), first.layers.end(), second.layers.begin(), second.layers.end(),
                        std::back_inserter(layers));
  if (layers.empty()) throw InputError(second.source, "dump.no_common_layer", {{"other", first.source}});
  return layers;
}

void require_layer(const std::vector<std::int64_t>& layers, std::int64_t layer, const std::string& source) {
  if (std::binary_search(layers.begin(), layers.end(), layer)) return;
  throw InputError(source, "dump.no_layer",
                   {{"layer", layer}, {"count", layers.size()}, {"first", layers.front()}, {"last", layers.back()}});
}

AttentionInput head_of(const AttentionDump& dump, std::int64_t head, std::int64_t tokens, const std::string& source) {
  if (head < 1 || head > dump.heads) {
    throw InputError(source, "dump.no_head", {{"head", head}, {"heads", dump.heads}});
  }
  const std::int64_t count = std::min(tokens, dump.tokens), shared = (head - 1) / (dump.heads / dump.key_heads);
  AttentionInput input;
  input.queries = rows_of(dump.q, dump.names[0], count, head - 1);
  input.keys = rows_of(dump.k, dump.names[1], count, shared);
  if (dump.value_dim > 0) input.values = rows_of(dump.v, dump.names[2], count, shared);
  return input;
}

TokenMatrix query_rows(const AttentionDump& dump, std::int64_t head, std::int64_t tokens) {
  return rows_of(dump.q, dump.names[0], std::min(tokens, dump.tokens), head);
}

TokenMatrix key_rows(const AttentionDump& dump, std::int64_t key_head, std::int64_t tokens) {
  return rows_of(dump.k, dump.names[1], std::min(tokens, dump.tokens), key_head);
}

DumpNotes read_dump_notes(std::span<const std::byte> bytes, const std::string& source) {
  DumpNotes notes;
  for (const auto& [key, text] : read_safetensors_notes(bytes, source, kPrefix)) {
    const std::string whole = std::string(kPrefix) + key, place = source + ": " + whole;
    if (key == "config") {
      notes.config = text;
    } else if (key == "layout") {
      notes.options.emplace_back(key, std::vector<std::string>{text});
    } else if (key == "options") {
      read_options(text, place, notes);
    } else if (key == "roles") {
      read_roles(text, place, notes);
    } else if (key != "seen") {
      const std::vector<std::string> known(std::begin(kKnown), std::end(kKnown));
      throw InputError(source, "dump_notes.unknown", {{"key", in_quotes(whole)}, {"known", one_of(known)}});
    }
  }
  return notes;
}

// --- Means ---------------------------------------------------------------------------------------------------------

Eigen::VectorXd LayerMeans::product(std::size_t head) const {
  return queries[head].size.cwiseProduct(keys_of(head).size);
}

Eigen::VectorXd LayerMeans::product() const {
  Eigen::VectorXd sum = product(0);
  for (std::size_t head = 1; head < queries.size(); ++head) sum += product(head);
  return sum / static_cast<double>(queries.size());
}

Eigen::VectorXcd LayerMeans::fixed(std::size_t head) const {
  return queries[head].mean.cwiseProduct(keys_of(head).mean.conjugate());
}

double LayerMeans::fixed_share(std::size_t head) const {
  const double all = product(head).sum();
  return all > 0 ? std::min(1.0, fixed(head).cwiseAbs().sum() / all) : 0;
}

Eigen::VectorXd shares(const Eigen::VectorXd& product) {
  const double sum = product.sum();
  if (!(sum > 0)) return Eigen::VectorXd::Zero(product.size());
  return product / sum;
}

double moved_share(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).cwiseAbs().sum() / 2;
}

LayerMeans layer_means(const AttentionDump& dump, std::int64_t tokens, Pairing pairing, int pair_count,
                       const Work& work) {
  if (2 * pair_count > dump.head_dim) {
    throw InputError("dump.too_narrow", {{"channels", 2 * pair_count}, {"head_dim", dump.head_dim}});
  }
  LayerMeans means;
  means.queries.resize(static_cast<std::size_t>(dump.heads));
  means.keys.resize(static_cast<std::size_t>(dump.key_heads));
  parallel_for_blocks(dump.heads + dump.key_heads, 1, work, [&](std::int64_t index, std::int64_t) {
    const bool query = index < dump.heads;
    const std::int64_t head = query ? index : index - dump.heads;
    const TokenMatrix rows = query ? query_rows(dump, head, tokens) : key_rows(dump, head, tokens);
    (query ? means.queries : means.keys)[static_cast<std::size_t>(head)] = pair_means(rows, pairing, pair_count);
  });
  if (work.stopped()) return {};
  return means;
}

std::vector<HeadScores> layer_scores(const AttentionDump& dump, std::int64_t first, std::int64_t count,
                                     std::int64_t tokens, const HeadTurns& turns, const Work& work) {
  if (2 * turns.turns.cols() > dump.head_dim) {
    throw InputError("dump.too_narrow", {{"channels", 2 * turns.turns.cols()}, {"head_dim", dump.head_dim}});
  }
  std::vector<HeadScores> scores(static_cast<std::size_t>(count));
  const std::int64_t shared = dump.heads / dump.key_heads;
  parallel_for_blocks(count, 1, work, [&](std::int64_t index, std::int64_t) {
    const std::int64_t head = first + index;
    scores[static_cast<std::size_t>(index)] =
        head_scores(query_rows(dump, head, tokens), key_rows(dump, head / shared, tokens), turns);
  });
  if (work.stopped()) return {};
  return scores;
}

}  // namespace ropescope
