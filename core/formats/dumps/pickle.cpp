// Pickle interpreter. Read pickle.h first. A pickle is a program for a stack machine. This one builds Values only: a
// global is a name in a list, and calling one creates a tensor or an empty dict.
//
// Contents: Values; Reader; Tensors.

#include "core/formats/dumps/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/formats/json.h"
#include "core/machine.h"
#include "core/message.h"
#include "core/registry.h"

namespace ropescope {

// --- Values --------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMaxValues = std::size_t{1} << 20;
constexpr std::size_t kMaxPickledSides = 64;
constexpr int kDeepest = 64;
/// Maximum number of lists that are open at a time: a few for each of the kDeepest levels.
constexpr std::size_t kMaxMarks = 1024;
constexpr std::size_t kMaxTensors = std::size_t{1} << 16, kLongestTensorName = 1024;
constexpr std::int64_t kMaxTensorBytes = std::int64_t{1} << 32;
/// Maximum size of a tensor that repeats the numbers of its storage (stride 0). Batches and heads stay below it, and a
/// file of a few bytes cannot claim more.
constexpr std::int64_t kMaxRepeated = std::int64_t{1} << 24;

/// Kinds of objects that global names of a pickle refer to.
enum class Callable { none, tensor, parameter, dict, size };

struct CallableEntry {
  std::string_view name;
  Callable does;
};
constexpr CallableEntry kCallables[] = {{"torch._utils._rebuild_tensor_v2", Callable::tensor},
                                        {"torch._utils._rebuild_parameter", Callable::parameter},
                                        {"collections.OrderedDict", Callable::dict},
                                        {"torch.Size", Callable::size}};

struct StorageEntry {
  std::string_view name;
  std::optional<Storage> storage;  ///< nullopt: a known type, but not a number type for tables
};
constexpr StorageEntry kStorages[] = {{"torch.DoubleStorage", Storage::float64},
                                      {"torch.FloatStorage", Storage::float32},
                                      {"torch.HalfStorage", Storage::float16},
                                      {"torch.BFloat16Storage", Storage::bfloat16},
                                      {"torch.LongStorage", Storage::int64},
                                      {"torch.IntStorage", Storage::int32},
                                      {"torch.ShortStorage", Storage::int16},
                                      {"torch.CharStorage", Storage::int8},
                                      {"torch.ByteStorage", Storage::uint8},
                                      {"torch.ComplexFloatStorage", Storage::complex64},
                                      {"torch.ComplexDoubleStorage", Storage::complex128},
                                      {"torch.BoolStorage", std::nullopt}};

/// Index into the reader's list of values, so that a value may occur in several places, and in itself.
using ValueIndex = std::uint32_t;

struct Value {
  enum class Kind { none, other, whole, text, sequence, dict, global, storage, tensor };
  Kind kind = Kind::none;
  std::int64_t whole = 0;      ///< of a global: index in its list; of a storage: how many numbers it has
  std::string_view text = {};  ///< of a storage: its key
  Storage storage = {};        ///< of a storage
  Callable callable = {};      ///< of a global; none: a storage type
  /// Of a sequence; of a dict: a key before each value; of a tensor: its arguments.
  std::vector<ValueIndex> items = {};
};

// --- Reader --------------------------------------------------------------------------------------------------------

// clang-format off
/// Opcodes as listed in pickletools.
enum class Opcode : unsigned char {
  mark = '(', stop = '.', pop = '0', binfloat = 'G', binint = 'J', binint1 = 'K', binint2 = 'M', none = 'N',
  binpersid = 'Q', reduce = 'R', binunicode = 'X', append = 'a', build = 'b', global = 'c', appends = 'e', binget = 'h',
  long_binget = 'j', binput = 'q', long_binput = 'r', setitem = 's', tuple = 't', setitems = 'u', empty_tuple = ')',
  empty_list = ']', empty_dict = '}', proto = 0x80, tuple1 = 0x85, tuple2 = 0x86, tuple3 = 0x87, newtrue = 0x88,
  newfalse = 0x89, long1 = 0x8a, short_binunicode = 0x8c, binunicode8 = 0x8d, stack_global = 0x93, memoize = 0x94,
  frame = 0x95,
};
// clang-format on

class PickleReader {
 public:
  PickleReader(std::span<const std::byte> bytes, const std::string& source)
      : text_(characters_of(bytes)), source_(source) {}

  /// Runs the pickle and returns the value left on the stack.
  ValueIndex read() {
    while (true) {
      opcode_at_ = at_;
      const auto opcode = static_cast<Opcode>(number<std::uint8_t>());
      if (opcode == Opcode::stop) break;
      if (!make_plain(opcode) && !make_from_stack(opcode) && !memoise(opcode)) refuse_opcode(opcode);
      if (values_.size() >= kMaxValues) throw InputError(source_, "torch.too_many", {{"most", kMaxValues}});
    }
    if (stack_.size() != 1 || !marks_.empty()) refuse_damaged();
    return stack_.front();
  }

  const Value& value(ValueIndex index) const { return values_[index]; }

 private:
  using Kind = Value::Kind;

  // --- bytes

  [[noreturn]] void refuse_damaged() const { throw InputError(source_, "torch.damaged", {{"at", opcode_at_}}); }
  [[noreturn]] void refuse_opcode(Opcode opcode) const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto code = static_cast<unsigned>(opcode);
    const std::string shown{'0', 'x', kDigits[code / 16], kDigits[code % 16]};
    throw InputError(source_, "torch.opcode", {{"opcode", shown}, {"at", opcode_at_}});
  }
  [[noreturn]] void refuse_object(std::string_view name) const {
    throw InputError(source_, "torch.object", {{"name", in_quotes(name)}});
  }

  std::string_view take(std::uint64_t count) {
    if (count > text_.size() - at_) throw InputError(source_, "torch.cut_short", {{"at", opcode_at_}});
    const std::string_view taken = text_.substr(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return taken;
  }
  template <class Number>
  Number number() {
    return from_little_endian<Number>(take(sizeof(Number)).data());
  }
  std::string_view line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) throw InputError(source_, "torch.cut_short", {{"at", opcode_at_}});
    const std::string_view taken = take(end - at_);
    ++at_;
    return taken;
  }

  // --- stack

  void push(Value value) {
    stack_.push_back(static_cast<ValueIndex>(values_.size()));
    values_.push_back(std::move(value));
  }
  void push_kind(Kind kind) { push({.kind = kind}); }
  void push_whole(std::int64_t whole) { push({.kind = Kind::whole, .whole = whole}); }
  void push_text(std::string_view text) { push({.kind = Kind::text, .text = text}); }
  /// Removes the top of the stack. Throws if it is below the last mark.
  ValueIndex pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) refuse_damaged();
    const ValueIndex index = stack_.back();
    stack_.pop_back();
    return index;
  }
  Value& top(Kind kind) {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) refuse_damaged();
    Value& value = values_[stack_.back()];
    if (value.kind != kind) refuse_damaged();
    return value;
  }
  /// Removes and returns all values above the last mark.
  std::vector<ValueIndex> pop_to_mark() {
    if (marks_.empty()) refuse_damaged();
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<ValueIndex> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }
  void push_sequence(std::vector<ValueIndex> items) { push({.kind = Kind::sequence, .items = std::move(items)}); }
  void push_last(std::size_t count) {
    std::vector<ValueIndex> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    push_sequence(std::move(items));
  }

  // --- opcodes

  /// Executes opcodes that use no values of the stack.
  bool make_plain(Opcode opcode) {
    switch (opcode) {
      case Opcode::proto:
        if (const auto protocol = number<std::uint8_t>(); protocol < 2 || protocol > 5) refuse_damaged();
        return true;
      case Opcode::frame:
        number<std::uint64_t>();
        return true;
      case Opcode::mark:
        if (marks_.size() == kMaxMarks) throw InputError(source_, "torch.too_deep", {{"most", kMaxMarks}});
        marks_.push_back(stack_.size());
        return true;
      case Opcode::none:
        return push_kind(Kind::none), true;
      case Opcode::newtrue:
      case Opcode::newfalse:
        return push_kind(Kind::other), true;
      case Opcode::binfloat:
        take(8);
        return push_kind(Kind::other), true;
      case Opcode::binint:
        return push_whole(number<std::int32_t>()), true;
      case Opcode::binint1:
        return push_whole(number<std::uint8_t>()), true;
      case Opcode::binint2:
        return push_whole(number<std::uint16_t>()), true;
      case Opcode::long1:
        return push_long(take(number<std::uint8_t>())), true;
      case Opcode::short_binunicode:
        return push_text(take(number<std::uint8_t>())), true;
      case Opcode::binunicode:
        return push_text(take(number<std::uint32_t>())), true;
      case Opcode::binunicode8:
        return push_text(take(number<std::uint64_t>())), true;
      case Opcode::empty_tuple:
      case Opcode::empty_list:
        return push_kind(Kind::sequence), true;
      case Opcode::empty_dict:
        return push_kind(Kind::dict), true;
      case Opcode::global: {
        const std::string_view module = line();
        return push_global(module, line()), true;
      }
      default:
        return false;
    }
  }

  /// Pushes an integer of any length, least significant byte first; one beyond 64 bits cannot be a size.
  void push_long(std::string_view bytes) {
    if (bytes.size() > 8) return push_kind(Kind::other);
    std::uint64_t bits = !bytes.empty() && (bytes.back() & '\x80') ? ~std::uint64_t{0} : 0;
    for (std::size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
    push_whole(static_cast<std::int64_t>(bits));
  }

  bool make_from_stack(Opcode opcode) {
    switch (opcode) {
      case Opcode::pop:
        return pop(), true;
      case Opcode::tuple:
        return push_sequence(pop_to_mark()), true;
      case Opcode::tuple1:
        return push_last(1), true;
      case Opcode::tuple2:
        return push_last(2), true;
      case Opcode::tuple3:
        return push_last(3), true;
      case Opcode::append: {
        const ValueIndex item = pop();
        return top(Kind::sequence).items.push_back(item), true;
      }
      case Opcode::appends:
        return add_items(pop_to_mark(), Kind::sequence), true;
      case Opcode::setitem: {
        const ValueIndex item = pop(), key = pop();
        return add_items({key, item}, Kind::dict), true;
      }
      case Opcode::setitems: {
        std::vector<ValueIndex> items = pop_to_mark();
        if (items.size() % 2 != 0) refuse_damaged();
        return add_items(items, Kind::dict), true;
      }
      case Opcode::build:
        // OrderedDict attributes in addition to its entries (_metadata of a state_dict).
        pop();
        return top(Kind::dict), true;
      case Opcode::stack_global: {
        const std::string_view name = text_of(pop());
        return push_global(text_of(pop()), name), true;
      }
      case Opcode::binpersid:
        return push_storage(pop()), true;
      case Opcode::reduce: {
        const ValueIndex arguments = pop();
        return call(pop(), arguments), true;
      }
      default:
        return false;
    }
  }

  void add_items(const std::vector<ValueIndex>& items, Kind kind) {
    std::vector<ValueIndex>& kept = top(kind).items;
    kept.insert(kept.end(), items.begin(), items.end());
  }

  bool memoise(Opcode opcode) {
    switch (opcode) {
      case Opcode::binput:
        return put(number<std::uint8_t>()), true;
      case Opcode::long_binput:
        return put(number<std::uint32_t>()), true;
      case Opcode::memoize:
        return put(memo_.size()), true;
      case Opcode::binget:
        return get(number<std::uint8_t>()), true;
      case Opcode::long_binget:
        return get(number<std::uint32_t>()), true;
      default:
        return false;
    }
  }
  /// Stores the top of the stack at `place`. Programs that write pickles number the places in order, so a place far
  /// beyond the number of values stored so far means damage. The size of memo_ would be the wrong measure: a file could
  /// make it grow by skipping places.
  void put(std::size_t place) {
    if (stack_.empty() || place > kept_ + 256) refuse_damaged();
    if (++kept_ > kMaxValues) throw InputError(source_, "torch.too_many", {{"most", kMaxValues}});
    if (place >= memo_.size()) memo_.resize(place + 1);
    memo_[place] = stack_.back();
  }
  void get(std::size_t place) {
    if (place >= memo_.size() || !memo_[place]) refuse_damaged();
    stack_.push_back(*memo_[place]);
    // Each entry counts as a value, so that a small file cannot fill the memory.
    if (stack_.size() > kMaxValues) throw InputError(source_, "torch.too_many", {{"most", kMaxValues}});
  }

  // --- objects

  std::string_view text_of(ValueIndex index) const {
    if (values_[index].kind != Kind::text) refuse_damaged();
    return values_[index].text;
  }

  void push_global(std::string_view module, std::string_view name) {
    const std::string whole = std::string(module) + "." + std::string(name);
    Value value;
    value.kind = Kind::global;
    if (const CallableEntry* known = find_named_entry(kCallables, whole)) {
      value.callable = known->does;
    } else if (const StorageEntry* storage = find_named_entry(kStorages, whole)) {
      if (!storage->storage) throw InputError(source_, "torch.storage", {{"name", in_quotes(whole)}});
      value.storage = *storage->storage;
    } else {
      refuse_object(whole);
    }
    push(std::move(value));
  }

  /// Pushes a storage: ("storage", type, key, device, how many numbers).
  void push_storage(ValueIndex index) {
    constexpr std::size_t kEntries = 5;
    const Value& given = values_[index];
    if (given.kind != Kind::sequence || given.items.size() != kEntries) refuse_damaged();
    const auto item = [&](std::size_t i) -> const Value& { return values_[given.items[i]]; };
    const bool fits = item(0).text == "storage" && item(1).kind == Kind::global && item(1).callable == Callable::none &&
                      item(2).kind == Kind::text && item(2).text.size() <= kLongestTensorName &&
                      item(4).kind == Kind::whole && item(4).whole >= 0;
    if (!fits) refuse_damaged();
    Value value;
    value.kind = Kind::storage;
    value.storage = item(1).storage;
    value.text = item(2).text;
    value.whole = item(4).whole;
    push(std::move(value));
  }

  void call(ValueIndex function, ValueIndex arguments) {
    const Value& given = values_[arguments];
    if (values_[function].kind != Kind::global || given.kind != Kind::sequence) refuse_damaged();
    switch (values_[function].callable) {
      case Callable::dict:
        // Only other programs write a dict of pairs.
        if (!given.items.empty()) refuse_damaged();
        return push_kind(Kind::dict);
      case Callable::size:
        return push_kind(Kind::other);
      case Callable::parameter:
        // Arguments: tensor, requires_grad, hooks.
        if (given.items.empty() || values_[given.items[0]].kind != Kind::tensor) refuse_damaged();
        return stack_.push_back(given.items[0]);
      case Callable::tensor: {
        Value tensor;
        tensor.kind = Kind::tensor;
        tensor.items = given.items;
        return push(std::move(tensor));
      }
      case Callable::none:
        refuse_damaged();
    }
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0, opcode_at_ = 0;
  std::vector<Value> values_;
  std::vector<ValueIndex> stack_;
  std::vector<std::size_t> marks_;
  std::vector<std::optional<ValueIndex>> memo_;
  std::size_t kept_ = 0;  ///< number of values put into the memo
};

// --- Tensors -------------------------------------------------------------------------------------------------------

/// Search for the tensors in the value read.
class TensorFinder {
 public:
  TensorFinder(const PickleReader& reader, const std::string& source) : reader_(reader), source_(source) {}

  void find(ValueIndex index, const std::string& name, int depth) {
    // A value may occur in several places; each is a separate tensor.
    if (++visited_ > kMaxValues) throw InputError(source_, "torch.too_many", {{"most", kMaxValues}});
    if (depth > kDeepest) throw InputError(source_, "torch.too_deep", {{"most", kDeepest}});
    const Value& value = reader_.value(index);
    if (name.size() > kLongestTensorName) throw InputError(source_, "torch.key", {});
    const std::string prefix = name.empty() ? "" : name + ".";
    if (value.kind == Value::Kind::tensor) {
      if (tensors_.size() == kMaxTensors) throw InputError(source_, "torch.too_many", {{"most", kMaxTensors}});
      tensors_.push_back(read_tensor(value, name));
    } else if (value.kind == Value::Kind::sequence) {
      for (std::size_t i = 0; i < value.items.size(); ++i) find(value.items[i], prefix + std::to_string(i), depth + 1);
    } else if (value.kind == Value::Kind::dict) {
      for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
        find(value.items[i + 1], prefix + key_of(value.items[i]), depth + 1);
      }
    }
  }

  std::vector<PickledTensor> found() {
    std::vector<std::string_view> names;
    for (const PickledTensor& tensor : tensors_) names.push_back(tensor.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) throw InputError(source_, "torch.twice", {{"name", in_quotes(*twice)}});
    return std::move(tensors_);
  }

 private:
  std::string key_of(ValueIndex index) const {
    const Value& key = reader_.value(index);
    if (key.kind == Value::Kind::text && key.text.size() <= kLongestTensorName) return std::string(key.text);
    if (key.kind == Value::Kind::whole) return std::to_string(key.whole);
    throw InputError(source_, "torch.key", {});
  }

  [[noreturn]] void refuse(const std::string& name, const Message& problem) const {
    throw InputError(source_, "safetensors.tensor", {{"name", in_quotes(name)}, {"problem", problem}});
  }

  std::vector<std::int64_t> wholes_of(ValueIndex index, const std::string& name) const {
    const Value& list = reader_.value(index);
    if (list.kind != Value::Kind::sequence || list.items.size() > kMaxPickledSides)
      refuse(name, Message("torch.arguments"));
    std::vector<std::int64_t> wholes;
    for (const ValueIndex item : list.items) {
      const Value& whole = reader_.value(item);
      if (whole.kind != Value::Kind::whole || whole.whole < 0) refuse(name, Message("torch.arguments"));
      wholes.push_back(whole.whole);
    }
    return wholes;
  }

  /// Reads the arguments of a tensor: storage, first number, shape, strides, requires_grad, hooks, metadata.
  PickledTensor read_tensor(const Value& value, const std::string& name) const {
    constexpr std::size_t kMin = 4, kHooks = 6, kMax = 7;
    const std::vector<ValueIndex>& items = value.items;
    if (items.size() < kMin || items.size() > kMax) refuse(name, Message("torch.arguments"));
    const Value &storage = reader_.value(items[0]), &first = reader_.value(items[1]);
    if (storage.kind != Value::Kind::storage || first.kind != Value::Kind::whole || first.whole < 0) {
      refuse(name, Message("torch.arguments"));
    }
    // "conj" or "neg": the tensor's numbers differ from those stored.
    if (items.size() == kMax) {
      const Value& rest = reader_.value(items[kHooks]);
      if (rest.kind != Value::Kind::none && !(rest.kind == Value::Kind::dict && rest.items.empty())) {
        refuse(name, Message("torch.view"));
      }
    }
    PickledTensor tensor;
    tensor.name = name;
    tensor.storage = storage.storage;
    tensor.key = std::string(storage.text);
    tensor.stored = storage.whole;
    tensor.first = first.whole;
    tensor.shape = wholes_of(items[2], name);
    tensor.strides = wholes_of(items[3], name);
    check_reach(tensor);
    return tensor;
  }

  void check_reach(const PickledTensor& tensor) const {
    if (tensor.shape.size() != tensor.strides.size()) refuse(tensor.name, Message("torch.arguments"));
    if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end()) return;
    const std::int64_t most = kMaxTensorBytes / static_cast<std::int64_t>(storage_bytes(tensor.storage));
    std::int64_t numbers = 1, last = tensor.first;
    for (std::size_t side = 0; side < tensor.shape.size(); ++side) {
      if (tensor.shape[side] > most / numbers) refuse(tensor.name, Message("torch.tensor_too_large"));
      numbers *= tensor.shape[side];
      const std::int64_t steps = tensor.shape[side] - 1, room = tensor.stored - last;
      if (room <= 0 || (steps > 0 && tensor.strides[side] > room / steps)) refuse(tensor.name, Message("torch.beyond"));
      last += steps * tensor.strides[side];
    }
    if (last >= tensor.stored) refuse(tensor.name, Message("torch.beyond"));
    if (numbers > std::max(tensor.stored, kMaxRepeated)) {
      refuse(tensor.name,
             {"torch.repeated", {{"numbers", numbers}, {"stored", tensor.stored}, {"most", kMaxRepeated}}});
    }
  }

  const PickleReader& reader_;
  const std::string& source_;
  std::vector<PickledTensor> tensors_;
  std::size_t visited_ = 0;
};

}  // namespace

std::vector<PickledTensor> read_pickled_tensors(std::span<const std::byte> bytes, const std::string& source) {
  PickleReader reader(bytes, source);
  const ValueIndex root = reader.read();
  TensorFinder finder(reader, source);
  finder.find(root, "", 0);
  return finder.found();
}

bool begins_like_legacy_torch(std::span<const std::byte> bytes) {
  // PROTO, LONG1 of ten bytes: 0x1950a86a20f9469cfc6c.
  constexpr std::string_view kNumber = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  const std::string_view text = characters_of(bytes);
  return text.size() > 2 && text[0] == '\x80' && text.substr(2).starts_with(kNumber);
}

}  // namespace ropescope
