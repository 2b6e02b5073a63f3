#include <stop_token>

#include "core/formats/dumps/dump.h"
#include "tests/npy_files.h"
#include "tests/unit/format_files.h"
#include "tests/unit/stored_files.h"
#include "tests/unit/zip_files.h"

namespace ropescope {
namespace {

/// Files that Python's zipfile wrote (see their names); the fuzzer begins with them.
std::string read_npz_seed(const std::string& name) {
  return read_file(fs::path(source_folder()) / "tests" / "fuzz" / "corpus" / "npz" / name);
}

Tensor npz_ramp(std::vector<std::int64_t> shape, NumberFormat format = NumberFormat::float32) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.format = format;
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= size;
  for (std::int64_t i = 0; i < count; ++i) tensor.values.push_back(static_cast<double>(i % 23) / 16);
  return tensor;
}

std::string npy(const Tensor& tensor) {
  const std::vector<std::byte> bytes = write_npy(tensor);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string npz_error(const std::string& content, const std::string& name = "q", const NpzLimits& limits = {}) {
  return refusal_of([&] { parse_npz_array(bytes_of(content), "f.npz", name, limits); });
}

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  for (const char* file : {"stored.npz", "deflated.npz"}) {
    const std::string content = read_npz_seed(file);
    const Tensor q = parse_npz_array(bytes_of(content), file, "q");
    EXPECT_THAT(q.shape, ElementsAre(3, 2, 4)) << file;
    for (std::size_t i = 0; i < q.values.size(); ++i) {
      EXPECT_EQ(q.values[i], (static_cast<double>(i * 7 % 13) - 6) / 8) << file;
    }
  }
  EXPECT_THAT(list_npz(bytes_of(read_npz_seed("stored.npz")), ""), ElementsAre("q", "k"));
  EXPECT_THAT(list_npz(bytes_of(read_npz_seed("deflated.npz")), ""), ElementsAre("q", "k", "v"));
  EXPECT_TRUE(list_npz(bytes_of(read_npz_seed("empty.npz")), "").empty());
  EXPECT_EQ(parse_npz_array(bytes_of(read_npz_seed("deflated.npz")), "", "v").big_endian, true);
}

TEST(Npz, ReadsWhatLibzipWrote) {
  const Tensor large = npz_ramp({300, 7, 64}, NumberFormat::float64);
  const std::string content = zip_of({{"x.npy", npy(npz_ramp({2}))}, {"q.npy", npy(large)}});
  EXPECT_LT(content.size(), large.values.size() * 8) << "it was deflated";
  const Tensor found = parse_npz_array(bytes_of(content), "", "q");
  EXPECT_EQ(found.shape, large.shape);
  EXPECT_EQ(found.values, large.values);
}

TEST(Npz, SaysWhatIsWrong) {
  const std::string good = zip_of({{"q.npy", npy(npz_ramp({40, 8}))}});
  EXPECT_THAT(npz_error("x,y\n1,2\n"), AllOf(HasSubstr("f.npz: "), Says("error.npz.not_npz")));
  EXPECT_THAT(npz_error(""), AllOf(HasSubstr("f.npz: "), Says("error.npz.not_npz")));
  EXPECT_THAT(npz_error(good.substr(0, good.size() / 2)), Says("error.npz.damaged"));
  EXPECT_THAT(npz_error(good.substr(0, good.size() - 1)), Says("error.npz.damaged"));
  EXPECT_THAT(npz_error(good, "k"), Says("error.npz.no_array", {{"name", "\"k\""}, {"names", "\"q\""}}));
  EXPECT_THAT(npz_error(read_npz_seed("empty.npz")),
              Says("error.npz.no_array", {{"names", english_text()["list.none"]}}));
  EXPECT_THAT(npz_error(zip_of({{"q.npy", npy(npz_ramp({40, 8}))}}, "secret")),
              AllOf(HasSubstr("q.npy: "), Says("error.npz.encrypted")));
  EXPECT_THAT(npz_error(read_npz_seed("encrypted.npz")), HasSubstr("encrypted"));
  EXPECT_THAT(npz_error(read_npz_seed("bzip.npz")), Says("error.npz.packed", {{"method", "12"}}));
  EXPECT_THAT(npz_error(zip_of({{"q.npy", "no array"}})),
              AllOf(HasSubstr("f.npz: q.npy: "), Says("error.npy.not_npy")));
  EXPECT_THAT(npz_error(zip_of({{"q.npy", npy(npz_ramp({40, 8})).substr(0, 200)}})), Says("error.npy.cut_short"));
}

TEST(Npz, AnArrayIsOpenedAsItIsStored) {
  StoredTensor tensor;
  {
    const std::string content = read_npz_seed("deflated.npz");
    tensor = open_npz_array(bytes_of(content), "f.npz", "v");
    const Tensor read = parse_npz_array(bytes_of(content), "f.npz", "v");
    EXPECT_EQ(numbers_of(tensor), read.values);
  }
  // It owns what was unpacked: the file is gone.
  EXPECT_EQ(tensor.name, "f.npz: v");
  EXPECT_TRUE(tensor.big_endian);
  EXPECT_EQ(numbers_of(tensor).size(), static_cast<std::size_t>(tensor.count()));
  EXPECT_REFUSED(
      open_npz_array(bytes_of(read_npz_seed("stored.npz")), "f.npz", "cos"),
      AllOf(HasSubstr("f.npz: "), Says("error.npz.no_array", {{"name", "\"cos\""}, {"names", "\"q\", \"k\""}})));
}

TEST(Npz, ADamagedByteIsFound) {
  std::string content = read_npz_seed("stored.npz");
  const std::size_t numbers = content.find("shape") + 100;
  content[numbers] ^= 1;
  EXPECT_THAT(npz_error(content), AllOf(HasSubstr("q.npy: "), Says("error.npz.array_damaged")));
}

TEST(Npz, LimitsHold) {
  const std::string content = zip_of({{"q.npy", npy(npz_ramp({1000, 64}))}, {"k.npy", npy(npz_ramp({2}))}});
  EXPECT_THAT(npz_error(content, "q", {1000, 4096}), Says("error.npz.too_large", {{"most", "1000"}}));
  EXPECT_EQ(npz_error(content, "k", {1000, 4096}), "");
  EXPECT_THAT(npz_error(content, "q", {1u << 20, 1}), Says("error.npz.too_many", {{"count", "2"}, {"most", "1"}}));
}

AttentionDump parse_npz_dump(const std::string& content) {
  // The bytes of a .npy stay with the dump.
  const auto owner = std::make_shared<const std::string>(content);
  return parse_attention_dump(bytes_of(*owner), owner, "f.npz");
}
std::string dump_error(const std::vector<std::pair<std::string, Tensor>>& arrays) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [name, tensor] : arrays) files.emplace_back(name + ".npy", npy(tensor));
  return refusal_of([&] {
    const AttentionDump dump = parse_npz_dump(zip_of(files));
    for (std::int64_t head = 1; head <= dump.heads; ++head) head_of(dump, head, dump.tokens, "f.npz");
  });
}

TEST(Npz, DeclaringUnpacksTheHeaderAlone) {
  std::string content = read_npz_seed("stored.npz");
  const std::size_t numbers = content.find("shape") + 100;
  content[numbers] ^= 1;
  const StoredTensor declared = declare_npz_array(bytes_of(content), "f.npz", "q");
  EXPECT_TRUE(is_declared_only(declared));
  EXPECT_EQ(declared.name, "f.npz: q");
  EXPECT_THAT(declared.shape, ElementsAre(3, 2, 4));
  EXPECT_THAT(numbers_of(declared), Each(numbers_of(declared)[0])) << "it can be read like any other";
}

/// 64 MiB that deflate makes 64 KiB of, behind the header of two numbers.
std::string make_lying_npz() {
  return zip_of({{"q.npy", npy(npz_ramp({2})) + std::string(std::size_t{64} << 20, 'x')}});
}

TEST(Npz, WhatTheHeaderSaysIsComparedBeforeTheRestIsUnpacked) {
  std::string content = make_lying_npz();
  EXPECT_THAT(npz_error(content), AllOf(HasSubstr("f.npz: q.npy: "), Says("error.npy.too_long")));
  // Damage behind what had to be unpacked for that is never met.
  const std::size_t behind = content.size() - 200;
  content[behind] = static_cast<char>(content[behind] ^ 0x55);
  EXPECT_THAT(npz_error(content), AllOf(HasSubstr("f.npz: q.npy: "), Says("error.npy.too_long")));
}

TEST(Npz, UnpackingIsStopped) {
  const std::string content = zip_of({{"q.npy", npy(npz_ramp({1000, 64}))}});
  std::stop_source source;
  NpzLimits limits;
  limits.stop = source.get_token();
  EXPECT_EQ(npz_error(content, "q", limits), "");
  source.request_stop();
  EXPECT_THAT(npz_error(content, "q", limits), Says("error.npz.stopped"));
}

TEST(AttentionDump, ShapesAreAcceptedBeforeAnythingIsUnpacked) {
  std::string content = read_npz_seed("stored.npz");
  const std::size_t numbers = content.find("shape") + 100;
  content[numbers] ^= 1;
  DumpReading reading;
  reading.accept = [](const AttentionDump& dump) {
    throw InputError("not " + std::to_string(dump.tokens) + " tokens of " + std::to_string(dump.head_dim));
  };
  const std::string refused = refusal_of([&] { parse_attention_dump(bytes_of(content), nullptr, "f.npz", reading); });
  EXPECT_THAT(refused, HasSubstr("not 3 tokens of 4"));
  EXPECT_REFUSED(parse_npz_dump(content), AllOf(HasSubstr("q.npy: "), Says("error.npz.array_damaged")));
}

TEST(AttentionDump, ValuesAreLeftOutWhereNobodyAsks) {
  const std::string content = read_npz_seed("deflated.npz");
  DumpReading reading;
  reading.values = false;
  const AttentionDump dump = parse_attention_dump(bytes_of(content), nullptr, "f.npz", reading);
  EXPECT_EQ(dump.value_dim, 0);
  EXPECT_EQ(head_of(dump, 1, 3, "").values.size(), 0);
}

TEST(AttentionDump, HeadsAreTheirRows) {
  const Tensor q = npz_ramp({5, 4, 3}), k = npz_ramp({5, 2, 3}, NumberFormat::float64), v = npz_ramp({5, 2, 6});
  const AttentionDump dump = parse_npz_dump(zip_of({{"v.npy", npy(v)}, {"q.npy", npy(q)}, {"k.npy", npy(k)}}));
  EXPECT_EQ(dump.tokens, 5);
  EXPECT_EQ(dump.heads, 4);
  EXPECT_EQ(dump.key_heads, 2);
  EXPECT_EQ(dump.value_dim, 6);
  for (std::int64_t head = 1; head <= 4; ++head) {
    const AttentionInput input = head_of(dump, head, 4, "f.npz");
    ASSERT_EQ(input.queries.rows(), 4);
    ASSERT_EQ(input.values.cols(), 6);
    const std::int64_t shared = (head - 1) / 2;  // query heads 1 and 2 share the first key head
    for (Eigen::Index token = 0; token < 4; ++token) {
      for (Eigen::Index c = 0; c < 3; ++c) {
        EXPECT_EQ(input.queries(token, c), q.values[static_cast<std::size_t>((token * 4 + head - 1) * 3 + c)]);
        EXPECT_EQ(input.keys(token, c), k.values[static_cast<std::size_t>((token * 2 + shared) * 3 + c)]);
        EXPECT_EQ(input.values(token, c), v.values[static_cast<std::size_t>((token * 2 + shared) * 6 + c)]);
      }
    }
  }
  EXPECT_REFUSED(head_of(dump, 5, 5, "f.npz"),
                 AllOf(HasSubstr("f.npz: "), Says("error.dump.no_head", {{"head", "5"}, {"heads", "4"}})));
  EXPECT_REFUSED(head_of(dump, 0, 5, "f.npz"), Says("error.dump.no_head", {{"head", "0"}}));
}

TEST(AttentionDump, WithoutHeadsAndStacked) {
  const AttentionDump flat =
      parse_npz_dump(zip_of({{"q.npy", npy(npz_ramp({5, 4}))}, {"k.npy", npy(npz_ramp({5, 4}))}}));
  EXPECT_EQ(flat.heads, 1);
  EXPECT_EQ(flat.value_dim, 0);
  EXPECT_EQ(head_of(flat, 1, 99, "").queries.rows(), 5);
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{2, 5, 4}, {3, 5, 2, 2}}) {
    const Tensor stacked = npz_ramp(shape);
    const AttentionDump dump = parse_npz_dump(npy(stacked));
    EXPECT_EQ(dump.tokens, 5);
    EXPECT_EQ(dump.heads, shape.size() == 4 ? 2 : 1);
    EXPECT_EQ(dump.value_dim, shape[0] == 3 ? 2 : 0);
    const AttentionInput second = head_of(dump, dump.heads, 5, "");
    EXPECT_EQ(second.queries(0, 1), stacked.values[dump.heads == 1 ? 1 : 3]);
    EXPECT_EQ(second.keys(0, 1), stacked.values[dump.heads == 1 ? 21 : 23]);
  }
}

TEST(AttentionDump, SaysWhatDoesNotFit) {
  const Tensor q = npz_ramp({5, 2, 4});
  EXPECT_THAT(dump_error({{"q", q}, {"x", q}}), Says("error.npz.no_array", {{"name", "\"k\""}}));
  EXPECT_THAT(dump_error({{"q", q}, {"k", npz_ramp({6, 2, 4})}}),
              Says("error.dump.q_and_k", {{"q", "[5, 2, 4]"}, {"k", "[6, 2, 4]"}}));
  EXPECT_THAT(dump_error({{"q", q}, {"k", npz_ramp({5, 2, 6})}}), Says("error.dump.q_and_k", {{"k", "[5, 2, 6]"}}));
  EXPECT_THAT(dump_error({{"q", q}, {"k", npz_ramp({5, 3, 4})}}), Says("error.dump.q_and_k", {{"k", "[5, 3, 4]"}}));
  EXPECT_THAT(dump_error({{"q", q}, {"k", q}, {"v", npz_ramp({5, 1, 4})}}),
              Says("error.dump.k_and_v", {{"v", "[5, 1, 4]"}}));
  EXPECT_THAT(dump_error({{"q", npz_ramp({5})}, {"k", q}}),
              AllOf(HasSubstr("f.npz: q: "), Says("error.dump.shape", {{"shape", "[5]"}})));
  EXPECT_THAT(dump_error({{"q", npz_ramp({0, 2, 4})}, {"k", q}}), Says("error.dump.empty"));
  EXPECT_THAT(dump_error({{"q", npz_ramp({5, 2, 4}, NumberFormat::int32)}, {"k", q}}), Says("error.dump.integers"));
  Tensor hole = q;
  hole.values[13] = std::nan("");
  EXPECT_THAT(dump_error({{"q", q}, {"k", hole}}),
              AllOf(HasSubstr("f.npz: k: "), Says("error.dump.nan", {{"place", "[1, 1, 1]"}})));
  hole.values[13] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(dump_error({{"q", hole}, {"k", q}}), Says("error.dump.infinite"));
  const AttentionDump holed = parse_npz_dump(zip_of({{"q.npy", npy(hole)}, {"k.npy", npy(q)}}));
  EXPECT_EQ(head_of(holed, 1, 5, "").queries.rows(), 5) << "head 2 holds the infinite number";
  EXPECT_REFUSED(parse_npz_dump(npy(npz_ramp({4, 5, 4}))), HasSubstr("[2, tokens, heads, head_dim]"));
  EXPECT_REFUSED(parse_npz_dump("text"), Says("error.dump.unknown"));
}

}  // namespace
}  // namespace ropescope
