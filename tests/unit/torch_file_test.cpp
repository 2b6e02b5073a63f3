// PyTorch's files: files written by torch.save (1.13), which are seeds of the fuzzer, and pickles written here byte by
// byte.
#include "core/formats/dumps/torch_file.h"

#include "core/formats/dumps/pickle.h"
#include "core/formats/tensor_file.h"
#include "tests/unit/format_files.h"
#include "tests/unit/stored_files.h"
#include "tests/unit/zip_files.h"

namespace ropescope {
namespace {

std::string torch_seed(const std::string& name) {
  return read_file(fs::path(source_folder()) / "tests" / "fuzz" / "corpus" / "torch" / name);
}

StoredTensor opened_torch(const std::string& content, const std::optional<std::string>& name = {}) {
  return open_tensor(bytes_of(content), nullptr, "a.pt", name);
}

std::string torch_error(const std::string& content, const std::optional<std::string>& name = {}) {
  return refusal_of([&] { opened_torch(content, name); });
}

std::string pickle_error(const std::string& pickle) {
  return refusal_of([&] { read_pickled_tensors(bytes_of(pickle), "a.pt"); });
}

// --- Pickles byte by byte ------------------------------------------------------------------------------------------

std::string pickled_text(const std::string& text) {
  return std::string("\x8c") + static_cast<char>(text.size()) + text;
}
std::string pickled_whole(std::int32_t whole) {
  std::string bytes = "J";
  for (int k = 0; k < 4; ++k) bytes += static_cast<char>(static_cast<std::uint32_t>(whole) >> (8 * k) & 0xFF);
  return bytes;
}
std::string pickled_wholes(const std::vector<std::int32_t>& wholes) {
  std::string bytes = "(";
  for (const std::int32_t whole : wholes) bytes += pickled_whole(whole);
  return bytes + "t";
}

/// What a tensor of a pickle is made of.
struct Pickled {
  std::string type = "FloatStorage", key = "0";
  std::int32_t stored = 6, first = 0;
  std::vector<std::int32_t> shape{2, 3}, strides{3, 1};
  std::string rest = "\x89)";  ///< trained, hooks

  std::string bytes() const {
    const std::string storage = "(" + pickled_text("storage") + "ctorch\n" + type + "\n" + pickled_text(key) +
                                pickled_text("cpu") + pickled_whole(stored) + "tQ";
    return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + pickled_whole(first) + pickled_wholes(shape) +
           pickled_wholes(strides) + rest + "tR";
  }
};
std::string pickle_of(const std::string& value) {
  return "\x80\x02" + value + ".";
}
std::string file_of(const std::string& value, const std::string& storage,
                    const std::vector<std::pair<std::string, std::string>>& more = {}) {
  std::vector<std::pair<std::string, std::string>> files{{"a/data.pkl", pickle_of(value)}, {"a/data/0", storage}};
  files.insert(files.end(), more.begin(), more.end());
  return zip_of(files);
}

// --- What torch wrote ----------------------------------------------------------------------------------------------

TEST(TorchFile, ATensorAloneNeedsNoName) {
  const StoredTensor tensor = opened_torch(torch_seed("alone.pt"));
  EXPECT_THAT(tensor.shape, ElementsAre(3, 2));
  EXPECT_THAT(tensor.strides, ElementsAre(1, 3)) << "transposed, as it lies";
  EXPECT_THAT(numbers_of(tensor), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_EQ(tensor.name, "a.pt");
  EXPECT_THAT(list_tensors(bytes_of(torch_seed("alone.pt")), "a.pt"), ElementsAre(""));
  EXPECT_THAT(numbers_of(opened_torch(torch_seed("parameter.pt"))), ElementsAre(1, 1));
}

TEST(TorchFile, DictsAndListsGiveNames) {
  const std::string dict = torch_seed("dict.pt");
  EXPECT_THAT(list_tensors(bytes_of(dict), "a.pt"), ElementsAre("cos", "sin", "n.ids", "7"));
  EXPECT_EQ(opened_torch(dict, "cos").storage, Storage::float16);
  EXPECT_EQ(opened_torch(dict, "sin").storage, Storage::bfloat16);
  EXPECT_THAT(numbers_of(opened_torch(dict, "sin")), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(opened_torch(dict, "n.ids").storage, Storage::int64);
  EXPECT_EQ(opened_torch(dict, "7").storage, Storage::float64);
  EXPECT_THAT(numbers_of(opened_torch(dict, "7")), ElementsAre(1.5));
  EXPECT_EQ(opened_torch(dict, "cos").name, "a.pt: cos");
  EXPECT_THAT(torch_error(dict), Says("error.tensor_file.several", {{"count", "4"}, {"example", "a.pt:cos"}}));
  EXPECT_THAT(torch_error(dict, "tan"),
              AllOf(HasSubstr("a.pt: "), Says("error.torch.no_tensor", {{"name", "\"tan\""}}), HasSubstr("\"cos\"")));
  const std::string state = torch_seed("state.pt");
  EXPECT_THAT(list_tensors(bytes_of(state), "a.pt"), ElementsAre("weight", "bias"));
  EXPECT_THAT(numbers_of(opened_torch(state, "weight")), ElementsAre(1, 2, 3, 4));
  const std::string list = torch_seed("list.pt");
  EXPECT_THAT(list_tensors(bytes_of(list), "a.pt"), ElementsAre("0", "1", "2.0", "2.1"));
  EXPECT_THAT(numbers_of(opened_torch(list, "0")), ElementsAre(-3));
  EXPECT_EQ(opened_torch(list, "1").storage, Storage::complex64);
  EXPECT_THAT(opened_torch(list, "2.0").shape, ElementsAre(0, 3));
  EXPECT_THAT(numbers_of(opened_torch(list, "2.1")), ElementsAre(3)) << "a tensor without sides";
}

TEST(TorchFile, StridesOfZeroAndNewerProtocols) {
  const std::string file = torch_seed("protocol4.pt");
  const StoredTensor tensor = opened_torch(file, "b");
  EXPECT_THAT(tensor.strides, ElementsAre(0, 1));
  EXPECT_THAT(numbers_of(tensor), ElementsAre(2, 3, 2, 3, 2, 3));
}

TEST(TorchFile, DeclaresWithoutUnpacking) {
  const std::string dict = torch_seed("dict.pt");
  const StoredTensor tensor = open_tensor(bytes_of(dict), nullptr, "a.pt", "cos", {true, {}});
  EXPECT_TRUE(is_declared_only(tensor));
  EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
  EXPECT_EQ(tensor.storage, Storage::float16);
}

// --- What is refused -----------------------------------------------------------------------------------------------

constexpr const char* kHow = "safetensors.torch.save_file(tensors, \"out.safetensors\")";

TEST(TorchFile, NothingIsRun) {
  const std::string said_system = torch_error(torch_seed("system.pt"), "cos");
  EXPECT_THAT(said_system, Says("error.torch.object", {{"name", "\"posix.system\""}}));
  EXPECT_THAT(said_system, HasSubstr(kHow));
  EXPECT_FALSE(fs::exists("executed"));
  EXPECT_THAT(torch_error(torch_seed("module.pt")), HasSubstr("\"torch.nn.modules.linear.Linear\""));
  EXPECT_THAT(torch_error(torch_seed("numpy.pt")), HasSubstr("\"numpy.core.multiarray._reconstruct\""));
  EXPECT_THAT(torch_error(torch_seed("sparse.pt")), HasSubstr("\"torch._utils._rebuild_sparse_tensor\""));
}

TEST(TorchFile, OtherFormsAreNamed) {
  EXPECT_THAT(torch_error(torch_seed("legacy.pt")), AllOf(HasSubstr("a.pt: "), Says("error.torch.legacy")));
  EXPECT_THAT(torch_error(torch_seed("flags.pt")), Says("error.torch.storage", {{"name", "\"torch.BoolStorage\""}}));
  EXPECT_THAT(torch_error("\x80\x04\x95"), Says("error.tensor_file.pickled"));
  EXPECT_THAT(torch_error(zip_of({{"a/version", "3"}})), Says("error.torch.no_pickle"));
}

TEST(TorchFile, OpcodesThatTorchDoesNotWrite) {
  // INST, OBJ, NEWOBJ, EXT1, BINPERSID's text form, DUP, INT.
  for (const char* opcode : {"i", "o", "\x81", "\x82", "P", "2", "I"}) {
    EXPECT_THAT(pickle_error(pickle_of(opcode)), Says("error.torch.opcode", {{"at", "2"}})) << opcode;
  }
  EXPECT_THAT(pickle_error(pickle_of("cbuiltins\neval\n")), HasSubstr("\"builtins.eval\""));
  EXPECT_THAT(pickle_error(pickle_of(pickled_text("os") + pickled_text("system") + "\x93")),
              HasSubstr("\"os.system\""));
}

TEST(TorchFile, DamagedPickles) {
  for (const std::string& bytes : {std::string("."), std::string("0."), std::string("t."), std::string("R."),
                                   std::string("NN."), std::string("(N."), std::string("Q."), std::string("h\5."),
                                   std::string("a."), std::string("Nb."), std::string("N)R."), std::string("}(NNNu."),
                                   std::string("NNN(Q."), std::string("q\0.", 3), std::string("N\x80\1.")}) {
    EXPECT_THAT(pickle_error(bytes), Says("error.torch.damaged")) << bytes;
  }
  for (const std::string& bytes :
       {std::string(), std::string("N"), std::string("J\1\2"), std::string("X\xff\0\0\0a", 6), std::string("ctorch\n"),
        std::string("\x8a\x09\1")}) {
    EXPECT_THAT(pickle_error(bytes), Says("error.torch.cut_short")) << bytes;
  }
  EXPECT_EQ(pickle_error(pickle_of(Pickled().bytes())), "");
}

TEST(TorchFile, TensorsThatReachTooFar) {
  const auto refused = [](Pickled tensor) { return pickle_error(pickle_of(tensor.bytes())); };
  EXPECT_EQ(refused({}), "");
  EXPECT_THAT(refused({.stored = 5}), Says("torch.beyond"));
  EXPECT_THAT(refused({.first = 1}), Says("torch.beyond"));
  EXPECT_THAT(refused({.strides = {4, 1}}), Says("torch.beyond"));
  EXPECT_THAT(refused({.stored = 0, .shape = {}, .strides = {}}), Says("torch.beyond"));
  EXPECT_THAT(refused({.strides = {-3, 1}}), Says("torch.arguments"));
  EXPECT_THAT(refused({.strides = {1}}), Says("torch.arguments"));
  EXPECT_THAT(refused({.first = -1}), Says("torch.arguments"));
  EXPECT_THAT(refused({.shape = {1 << 30, 1 << 30}, .strides = {0, 0}}), Says("torch.tensor_too_large"));
  EXPECT_THAT(refused({.rest = "\x89)}" + pickled_text("conj") + "\x88s"}), Says("torch.view"));
  EXPECT_EQ(refused({.stored = 0, .shape = {0, 3}, .strides = {3, 1}}), "");
}

TEST(TorchFile, AFewBytesClaimNoGigabytes) {
  const auto place = [](std::uint32_t number) {
    std::string bytes = "r";
    for (int k = 0; k < 4; ++k) bytes += static_cast<char>(number >> (8 * k) & 0xFF);
    return bytes;
  };
  // Each place of the memo as far beyond the one before as a single one may be.
  std::string memo = "\x80\x02N";
  for (std::uint32_t i = 1; i <= 2000; ++i) memo += place(256 * i);
  EXPECT_THAT(pickle_error(memo + "."), Says("error.torch.damaged"));
  EXPECT_EQ(pickle_error("\x80\x02" + Pickled().bytes() + place(200) + place(201) + "."), "");
  EXPECT_THAT(pickle_error("\x80\x02" + std::string(3000, '(') + "."), Says("error.torch.too_deep"));
  // One number, repeated.
  const auto refused = [](Pickled tensor) { return pickle_error(pickle_of(tensor.bytes())); };
  EXPECT_THAT(refused({.stored = 1, .shape = {32768, 16384}, .strides = {0, 0}}), HasSubstr(".contiguous()"));
  EXPECT_EQ(refused({.stored = 524'288, .shape = {32, 4096, 128}, .strides = {0, 128, 1}}), "");
}

TEST(TorchFile, StoragesThatDoNotFit) {
  const std::string six = raw({0, 1, 2, 3, 4, 5}, Storage::float32);
  EXPECT_THAT(numbers_of(opened_torch(file_of(Pickled().bytes(), six))), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(torch_error(file_of(Pickled().bytes(), six + "x")),
              AllOf(HasSubstr("a.pt: a/data/0: "), Says("error.torch.bytes", {{"bytes", "25"}})));
  EXPECT_THAT(torch_error(file_of(Pickled().bytes(), six.substr(4))),
              Says("error.torch.bytes", {{"count", "6"}, {"each", "4"}}));
  EXPECT_THAT(torch_error(file_of(Pickled{.key = "1"}.bytes(), six)),
              Says("error.torch.no_file", {{"name", "\"a/data/1\""}}));
  EXPECT_THAT(torch_error(file_of(Pickled{.key = "../data.pkl"}.bytes(), six)), Says("error.torch.no_file"));
  const std::string big = raw({0, 1, 2, 3, 4, 5}, Storage::float32, true);
  EXPECT_THAT(numbers_of(opened_torch(file_of(Pickled().bytes(), big, {{"a/byteorder", "big"}}))),
              ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(torch_error(file_of(Pickled().bytes(), six, {{"a/byteorder", "odd"}})),
              Says("error.torch.byte_order", {{"found", "\"odd\""}}));
}

TEST(TorchFile, WhatHostileFilesCost) {
  // A list in itself, many names for one value, a name of a million bytes, lists within lists.
  EXPECT_THAT(pickle_error(pickle_of("]q" + std::string(1, '\0') + "h" + std::string(1, '\0') + "a")),
              Says("error.torch.too_deep", {{"most", "64"}}));
  std::string doubled = Pickled().bytes() + "q" + std::string(1, '\0');
  for (int level = 0; level < 40; ++level) {
    doubled += "q" + std::string(1, '\0') + "0h" + std::string(1, '\0') + "h" + std::string(1, '\0') + "\x86";
  }
  EXPECT_THAT(pickle_error(pickle_of(doubled)), Says("error.torch.too_many", {{"most", "65536"}}));
  const std::string million(1 << 20, 'x');
  EXPECT_THAT(pickle_error(pickle_of("}X" + std::string("\0\0\x10\0", 4) + million + Pickled().bytes() + "s")),
              Says("error.torch.key"));
  EXPECT_THAT(pickle_error(pickle_of(std::string(2 << 20, 'N'))), Says("error.torch.too_many", {{"most", "1048576"}}));
  EXPECT_THAT(pickle_error(pickle_of("}" + pickled_text("a") + Pickled().bytes() + "s" + pickled_text("a") +
                                     Pickled().bytes() + "s")),
              Says("error.torch.twice", {{"name", "\"a\""}}));
  EXPECT_THAT(pickle_error(pickle_of("}N" + Pickled().bytes() + "s")), Says("error.torch.key"));
}

}  // namespace
}  // namespace ropescope
