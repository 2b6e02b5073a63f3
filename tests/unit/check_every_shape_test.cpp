// Every shape for every input of check: a verdict or one sentence, and with --long within a second of one core. An
// empty table crashed the comparison loop, empty ids corrupted the heap, and (0, 65536, 65536) ran for minutes.

#include <ctime>

#include "check_dump.h"
#include "core/formats/npy.h"
#include "core/formats/tensor_file.h"

namespace ropescope {

namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::int64_t kSides[] = {0, 1, 2, 3, 64};
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 20;

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t side : shape) count *= side;
  return count;
}

/// All shapes of so many axes.
void add_shapes(std::size_t axes, Shape shape, std::vector<Shape>& shapes) {
  if (shape.size() == axes) {
    if (8 * count_of(shape) <= kMaxBytes) shapes.push_back(shape);
    return;
  }
  for (const std::int64_t side : kSides) {
    shape.push_back(side);
    add_shapes(axes, shape, shapes);
    shape.pop_back();
  }
}

std::vector<Shape> shapes_of_up_to(std::size_t axes) {
  std::vector<Shape> shapes;
  for (std::size_t count = 0; count <= axes; ++count) add_shapes(count, {}, shapes);
  return shapes;
}

std::vector<Shape> some_of_four_and_five_axes(std::size_t count) {
  std::vector<Shape> all;
  add_shapes(4, {}, all);
  add_shapes(5, {}, all);
  std::mt19937 random(51);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::min(all.size(), count));
  return all;
}

/// What the numbers of a tensor look like.
enum class Fill { zeros, whole, cosines };

/// A tensor as the reader of .npy gives it.
StoredTensor tensor_of_file(const std::string& name, const Shape& shape, Storage storage, Fill fill, bool foreign) {
  StoredTensor described;
  described.storage = storage;
  described.big_endian = foreign;
  described.shape = shape;
  const std::string header = to_npy_header(described);
  std::vector<double> numbers(static_cast<std::size_t>(count_of(shape)) * (is_complex(storage) ? 2 : 1));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = static_cast<double>(i);
    numbers[i] = fill == Fill::zeros ? 0 : fill == Fill::whole ? std::fmod(at, 7) : std::cos(at / 64);
  }
  const auto bytes = std::make_shared<std::vector<std::byte>>();
  for (const char c : header) bytes->push_back(static_cast<std::byte>(c));
  const std::vector<std::byte> stored = store_numbers(numbers, storage, foreign);
  bytes->insert(bytes->end(), stored.begin(), stored.end());
  return open_tensor(*bytes, bytes, name + ".npy", {});
}

/// One fill after the other.
class Tensors {
 public:
  StoredTensor operator()(const std::string& name, const Shape& shape, Storage storage = Storage::float32) {
    ++made_;
    return tensor_of_file(name, shape, storage, static_cast<Fill>(made_ % 3), made_ % 5 == 0);
  }

 private:
  std::size_t made_ = 0;
};

std::string text_of(const Shape& shape) {
  std::string text = "(";
  for (const std::int64_t side : shape) text += std::to_string(side) + ",";
  return text + ")";
}

/// Two pairs, 64 pairs, three axes that share them, and the ids of an image.
std::vector<CheckReference> references() {
  std::vector<CheckReference> all;
  RotarySpec spec;
  for (const int dim : {4, 128}) {
    spec.head_dim = dim;
    spec.axes = {RotaryAxis{.rotary_dim = dim, .base = 10000}};
    all.push_back(reference_from_rope(spec));
  }
  spec.head_dim = 12;
  spec.axes = {RotaryAxis{.name = "t", .rotary_dim = 4, .base = 10000},
               RotaryAxis{.name = "h", .rotary_dim = 4, .base = 10000},
               RotaryAxis{.name = "w", .rotary_dim = 4, .base = 10000}};
  all.push_back(reference_from_rope(spec));
  all.push_back(layout_case("flux.1", 1, 2).reference);
  return all;
}

/// How a check ends: "" for a verdict, or its sentence. Anything else than these fails the test.
std::string end_of(const CheckReference& reference, const CheckInputs& inputs, const std::string& label) {
  CheckOptions options;
  options.threads = 1;
  options.most_effort = 20'000;  // numbers: what is searched for does not matter here, only that it is
  const std::clock_t begin = std::clock();
  const std::string sentence = refusal_of([&] {
    require_shapes(reference, inputs);
    check(reference, inputs, options);
  });
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  // Only in the long run: no test of every run may depend on time.
  if (runs_all_cells()) EXPECT_LT(seconds, 1) << label;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << label << ": " << sentence;
  return sentence;
}

/// Checks one shape as each input by itself; tables and vectors come in pairs, both of this shape.
void check_alone(const std::vector<CheckReference>& all, const Shape& shape, Tensors& make) {
  std::map<std::string, CheckInputs> by_role;
  by_role["ids"].ids = make("ids", shape, Storage::int64);
  by_role["ids of floats"].ids = make("ids", shape);
  by_role["table"].table = make("table", shape);
  by_role["complex table"].table = make("table", shape, Storage::complex64);
  by_role["frequencies"].frequencies = make("frequencies", shape, Storage::float64);
  by_role["cos and sin"].cosine = make("cos", shape);
  by_role["cos and sin"].sine = make("sin", shape);
  by_role["vectors"].before = make("before", shape, Storage::float16);
  by_role["vectors"].after = make("after", shape);
  const bool empty = count_of(shape) == 0;
  for (const auto& [role, inputs] : by_role) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string label = role + " " + text_of(shape) + " against reference " + std::to_string(i);
      const std::string sentence = end_of(all[i], inputs, label);
      if (empty) EXPECT_THAT(sentence, Says("error.check.empty_tensor")) << label;
    }
  }
  // The tables as what is expected, and as what is judged.
  const CheckInputs& tables = by_role["cos and sin"];
  end_of(reference_from_tables(*tables.cosine, *tables.sine), tables, "two dumps " + text_of(shape));
}

/// Inputs of two shapes: two tables, two vectors, ids with a table, and so on.
void check_pair(const std::vector<CheckReference>& all, const Shape& a, const Shape& b, std::size_t number,
                Tensors& make) {
  CheckInputs inputs;
  const std::string label = std::to_string(number % 8) + ": " + text_of(a) + " " + text_of(b);
  switch (number % 8) {
    case 0:
      inputs.cosine = make("cos", a), inputs.sine = make("sin", b);
      break;
    case 1:
      inputs.before = make("before", a), inputs.after = make("after", b);
      break;
    case 2:
      inputs.ids = make("ids", a, Storage::int32), inputs.table = make("table", b);
      break;
    case 3:
      inputs.ids = make("ids", a, Storage::int64), inputs.before = make("q", b), inputs.after = make("q", b);
      break;
    case 4:
      inputs.frequencies = make("frequencies", a), inputs.table = make("table", b, Storage::complex64);
      break;
    case 5:
      inputs.cosine = inputs.sine = make("cos", a), inputs.before = make("q", b), inputs.after = make("q", b);
      break;
    case 6:
      inputs.ids = make("ids", a, Storage::int64), inputs.frequencies = make("frequencies", b, Storage::float64);
      break;
    default:
      inputs.cosine = inputs.sine = make("cos", a);
      end_of(reference_from_tables(make("against-cos", b), make("against-sin", b)), inputs, "dumps " + label);
      return;
  }
  if (number % 3 == 0) inputs.head_order = number % 2 == 0 ? HeadOrder::tokens_first : HeadOrder::heads_first;
  end_of(all[number / 8 % all.size()], inputs, label);
}

}  // namespace

TEST(CheckEveryShape, AsEachInput) {
  const std::vector<CheckReference> all = references();
  Tensors make;
  for (const Shape& shape : shapes_of_up_to(3)) check_alone(all, shape, make);
}

TEST(CheckEveryShape, OfFourAndFiveAxes) {
  const std::vector<CheckReference> all = references();
  Tensors make;
  const int count = sampled_count("shapes of four and five axes", 60, 3750);
  for (const Shape& shape : some_of_four_and_five_axes(count)) check_alone(all, shape, make);
}

TEST(CheckEveryShape, InPairsOfInputs) {
  const std::vector<CheckReference> all = references();
  const std::vector<Shape> shapes = shapes_of_up_to(3);
  Tensors make;
  // A step that has no factor in common with 8 kinds of pairs, nor with the number of shapes.
  const std::size_t pairs = 8 * shapes.size() * shapes.size(), step = runs_all_cells() ? 1 : 17;
  sampled_count("pairs of shapes", static_cast<int>(pairs / 17), static_cast<int>(pairs));
  for (std::size_t i = 0; i < pairs; i += step) {
    check_pair(all, shapes[i / 8 % shapes.size()], shapes[i / 8 / shapes.size()], i, make);
  }
}

TEST(CheckEveryShape, AnEmptyOneMayClaimAnything) {
  const std::vector<CheckReference> all = references();
  Tensors make;
  for (const Shape& shape : {Shape{0, 65536, 65536}, Shape{65536, 65536, 0}, Shape{65536, 0, 65536, 2, 2}}) {
    check_alone(all, shape, make);
  }
}

}  // namespace ropescope
