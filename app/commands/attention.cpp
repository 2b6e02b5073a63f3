#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/encoding_options.h"
#include "app/figure/number_text.h"
#include "app/figure/page.h"
#include "app/resources/dumps.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/views/attention_map.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/npy.h"
#include "core/formats/npy_header.h"

namespace ropescope {

namespace {

/// A head's weights are then 2 GiB.
constexpr std::int64_t kMostTokens = 16'384;
constexpr std::int64_t kMostHeads = 1024;
/// Maps on one page, and how many of them stand beside each other.
constexpr std::int64_t kMostMaps = 16, kMapsBeside = 4;
/// Rows of a head whose text is held at a time.
constexpr Eigen::Index kRows = 64;

struct Values {
  std::optional<std::string> encoding, kind, kernel, content, input, tokens, first_position, size, theme, output;
  EncodingOptions settings;
  bool causal = false;
};

[[noreturn]] void reject(const std::string& option, const std::string& found, const std::string& expected) {
  throw InputError(option + " is " + in_quotes(found) + "; " + expected + " was expected");
}

/// The heads' vectors: of a file, or made up.
struct Content {
  std::int64_t tokens = 0, heads = 1;
  int dim = 128;
  std::function<AttentionInput(std::int64_t head)> head;  ///< counted from 1
};

std::int64_t read_count(const std::string& option, const std::string& text, std::int64_t most) {
  const std::int64_t count = read_whole(option, text);
  if (count < 1 || count > most) reject(option, text, "a whole number from 1 to " + std::to_string(most));
  return count;
}

Content content_of_file(const Values& values) {
  const std::string& path = *values.input;
  for (const auto& [name, text] : {std::pair("--tokens", &values.tokens), std::pair("--content", &values.content)}) {
    if (*text) throw InputError("--input and " + std::string(name) + " are both given; one of them was expected");
  }
  const auto dump = std::make_shared<const AttentionDump>(load_attention_dump(path));
  const auto require_equal = [&path](const std::string& option, const std::optional<std::string>& text,
                                     std::int64_t found) {
    if (!text || read_whole(option, *text) == found) return;
    throw InputError(option + " is " + in_quotes(*text) + ", but " + path + " has " + std::to_string(found) +
                     "; the same number, or no " + option + ", was expected");
  };
  require_equal("--dim", values.settings.dim, dump->head_dim);
  require_equal("--heads", values.settings.heads, dump->heads);
  if (dump->tokens > kMostTokens) {
    throw InputError(path + ": there are " + std::to_string(dump->tokens) + " tokens; at most " +
                     std::to_string(kMostTokens) + " were expected");
  }
  if (dump->head_dim > std::numeric_limits<int>::max()) throw InputError(path + ": head_dim is too large");
  return {dump->tokens, dump->heads, static_cast<int>(dump->head_dim),
          [dump, path](std::int64_t head) { return head_of(*dump, head, kMostTokens, path); }};
}

Content made_up_content(const Values& values, const EncodingSettings& settings) {
  if (!values.tokens) throw InputError("there is no content; --input QK.npz or --tokens N was expected");
  Content content;
  content.tokens = read_count("--tokens", *values.tokens, kMostTokens);
  if (values.settings.heads) content.heads = read_count("--heads", *values.settings.heads, kMostHeads);
  content.dim = settings.dim;
  const std::string name = values.content.value_or("random");
  if (name != "aligned" && name != "random") reject("--content", name, "aligned or random");
  const ContentKind kind = name == "aligned" ? ContentKind::aligned : ContentKind::random;
  content.head = [kind, tokens = static_cast<int>(content.tokens), settings](std::int64_t head) {
    AttentionInput input =
        make_content(kind, tokens, settings.dim, 1, settings.seed + static_cast<std::uint64_t>(head - 1));
    input.values.resize(0, 0);
    return input;
  };
  return content;
}

LinearKernel read_kernel(const std::optional<std::string>& name, bool linear) {
  if (name && !linear) throw InputError("--kernel is given, but --kind is softmax; --kind linear was expected with it");
  if (!name || *name == "elu") return LinearKernel::elu_plus_one;
  if (*name == "exp") return LinearKernel::exponential;
  if (*name == "softmax") return LinearKernel::softmax_of_q;
  reject("--kernel", *name, "elu, exp or softmax");
}

bool read_linear(const std::string& kind) {
  if (kind != "softmax" && kind != "linear") reject("--kind", kind, "softmax or linear");
  return kind == "linear";
}

/// Everything that is asked for, checked.
struct Request {
  const Encoding* encoding = nullptr;
  EncodingSettings settings;
  Content content;
  bool linear = false;
  AttentionOptions options;
  std::int64_t first_head = 1, heads = 1;  ///< those that are written

  /// The weights of the given one of them.
  template <class Cell>
  RowMatrix<Cell> weights(std::int64_t index) const {
    EncodingSettings of_head = settings;
    of_head.heads = static_cast<int>(content.heads);
    of_head.head = static_cast<int>(first_head + index);
    const auto model = make_model(*encoding, of_head);
    check_position(*model, options.first_position);
    check_position(*model, options.first_position + content.tokens - 1);
    const AttentionInput input = content.head(first_head + index);
    Attention<Cell> attention =
        linear ? linear_attention<Cell>(*model, input, options) : softmax_attention<Cell>(*model, input, options);
    if (!attention.weights.allFinite()) {
      throw InputError(std::string(encoding->name) +
                       ": the weights overflow with these numbers; smaller ones were "
                       "expected" +
                       (encoding->causal_only && !options.causal ? ", or --causal" : ""));
    }
    return std::move(attention.weights);
  }
};

/// Names the file where its vectors are not what the encoding takes.
void check_dim(const Encoding& encoding, EncodingSettings settings, const std::string& path) {
  settings.heads = settings.head = 1;
  try {
    validate(encoding, settings);
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

Request request_of(const Values& values) {
  Request request;
  request.encoding = &find_encoding(*values.encoding);
  request.settings = settings_of(values.settings, *request.encoding);
  request.linear = read_linear(values.kind.value_or("softmax"));
  request.options.kernel = read_kernel(values.kernel, request.linear);
  request.options.causal = values.causal;
  if (values.first_position) request.options.first_position = read_whole("--first-position", *values.first_position);
  request.content = values.input ? content_of_file(values) : made_up_content(values, request.settings);
  request.settings.dim = request.content.dim;
  if (values.input) check_dim(*request.encoding, request.settings, *values.input);
  request.heads = request.content.heads;
  if (values.settings.head) {
    request.first_head = read_count("--head", *values.settings.head, request.content.heads);
    request.heads = 1;
  }
  return request;
}

void write_npy_file(const Request& request, const std::optional<std::string>& output) {
  std::int64_t next = -1;
  RowMatrix<double> weights;
  std::string piece;
  put_result(output, [&]() -> std::string_view {
    const std::int64_t tokens = request.content.tokens;
    if (next++ < 0) return piece = npy_header_text("<f8", {request.heads, tokens, tokens});
    if (next > request.heads) return {};
    weights = request.weights<double>(next - 1);
    Tensor tensor;
    tensor.shape = {weights.rows(), weights.cols()};
    tensor.values.assign(weights.data(), weights.data() + weights.size());
    const std::vector<std::byte> bytes = write_npy(tensor);
    const std::size_t header = npy_header_text("<f8", tensor.shape).size();
    piece.assign(reinterpret_cast<const char*>(bytes.data()) + header, bytes.size() - header);
    return piece;
  });
}

void write_csv_file(const Request& request, const std::optional<std::string>& output) {
  std::int64_t head = -1;
  Eigen::Index row = 0;
  RowMatrix<double> weights;
  std::string piece;
  bool begun = false;
  put_result(output, [&]() -> std::string_view {
    if (!std::exchange(begun, true)) return "head,query,key,weight\n";
    if (row == weights.rows()) {
      if (++head == request.heads) return {};
      weights = request.weights<double>(head);
      row = 0;
    }
    piece.clear();
    for (const Eigen::Index end = std::min(row + kRows, weights.rows()); row < end; ++row) {
      const std::string place = std::to_string(request.first_head + head) + "," + std::to_string(row) + ",";
      for (Eigen::Index key = 0; key < weights.cols(); ++key) {
        piece += place + std::to_string(key) + "," + shortest_number(weights(row, key)) + "\n";
      }
    }
    return piece;
  });
}

void write_picture(const Request& request, const Values& values, PageFormat format, const PageSize& size) {
  if (request.heads > kMostMaps) {
    throw InputError("there are " + std::to_string(request.heads) + " heads; --head, or at most " +
                     std::to_string(kMostMaps) + " of them, was expected for a picture");
  }
  const Text text = Text::load(find_places().assets);
  const ThemeName theme = parse_theme(values.theme.value_or("dark"));
  ViewResult result;
  for (std::int64_t index = 0; index < request.heads; ++index) {
    auto weights = std::make_shared<const RowMatrix<float>>(request.weights<float>(index));
    const std::string number = std::to_string(request.first_head + index);
    Panel panel{weights_figure(picture_of(std::move(weights), request.options.causal), "head" + number, text)};
    if (request.content.heads > 1) panel.figure.title = text.format("view.attention.head", {{"head", number}});
    panel.beside = index % kMapsBeside != 0;
    result.panels.push_back(std::move(panel));
  }
  put_result(values.output, paint_page(result, format, size, theme));
}

PageSize read_size(const Values& values, PageFormat format) {
  const PageSize size = values.size ? parse_page_size(*values.size) : PageSize{800, 700};
  if (format == PageFormat::png && size.millimetres) {
    throw InputError("--size is " + *values.size + "; a PNG has a size in pixels such as 1200x800");
  }
  return size;
}

void run(const Values& values) {
  const std::string ending = std::filesystem::path(*values.output).extension().string();
  if (ending == ".npy") return write_npy_file(request_of(values), values.output);
  if (ending == ".csv") return write_csv_file(request_of(values), values.output);
  for (const auto& [name, format] :
       {std::pair(".png", PageFormat::png), std::pair(".svg", PageFormat::svg), std::pair(".pdf", PageFormat::pdf)}) {
    if (ending != name) continue;
    // Wrong options are said before anything is computed.
    if (values.theme) parse_theme(*values.theme);
    const PageSize size = read_size(values, format);
    return write_picture(request_of(values), values, format, size);
  }
  reject("-o", *values.output, "a name that ends in .npy, .csv, .png, .svg or .pdf");
}

std::string footer() {
  return "Encodings: " + encoding_names() +
         "\n"
         "QK.npz holds q and k, each [tokens, heads, head_dim] or [tokens, head_dim], before any position encoding; a\n"
         ".npy holds them stacked: [2, tokens, heads, head_dim]. Keys may have fewer heads (grouped-query attention).\n"
         "The .npy written is float64 [heads, tokens, tokens]: how much of each key's value goes into each query's\n"
         "output, 0 for keys that are left out (--causal). Linear attention with rotation may have negative weights.\n"
         "Without --input there is one head unless --heads says more.\n";
}

}  // namespace

Action declare_attention(Arguments& arguments) {
  const auto values = std::make_shared<Values>();
  arguments.option("--encoding", "NAME", values->encoding, "Which position encoding; the list is below",
                   Arguments::Need::required);
  arguments.option("--kind", "softmax|linear", values->kind, "Kind of attention (default: softmax)");
  arguments.option("--kernel", "elu|exp|softmax", values->kernel,
                   "linear: elu(x) + 1, e^x, or softmax of q and e^k (default: elu)");
  arguments.flag("--causal", values->causal, "Keys after the query are left out");
  arguments.option("--input", "QK.npz", values->input, "q and k of a model, see below");
  arguments.option("--tokens", "N", values->tokens, "Without --input: how many tokens");
  arguments.option("--content", "aligned|random", values->content, "Without --input: what they hold (random)");
  arguments.option("--dim", "D", values->settings.dim, "Without --input: channels of q and k (128)");
  arguments.option("--first-position", "M", values->first_position, "Position of the first token (0)");
  add_encoding_options(arguments, values->settings);
  arguments.option("--size", "800x700", values->size, "Of a picture: pixels, or 170x110mm for SVG and PDF");
  arguments.option("--theme", "dark|light", values->theme, "Of a picture (default: dark)");
  arguments.option("-o,--output", "F", values->output, "File to write: .npy, .csv, .png, .svg or .pdf",
                   Arguments::Need::required);
  arguments.footer(footer);
  return [values] { run(*values); };
}

}  // namespace ropescope
