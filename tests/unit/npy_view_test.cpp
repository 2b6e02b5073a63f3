#include "core/formats/npy.h"
#include "tests/npy_files.h"
#include "tests/unit/format_files.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

/// A .npy whose header is written by hand.
std::string make_npy_with_header(const std::string& descr, bool fortran, const std::string& shape,
                                 const std::string& numbers) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size() & 0xFF) +
         static_cast<char>(header.size() >> 8) + header + numbers;
}

std::string view_error(const std::string& content) {
  return refusal_of([&] { view_npy(bytes_of(content), nullptr, "f.npy"); });
}

TEST(NpyView, PointsIntoTheFileAndKeepsItAlive) {
  auto content = std::make_shared<std::string>(
      make_npy_with_header("<f4", false, "(2, 3)", raw({1, 2, 3, 4, 5, 6}, Storage::float32)));
  const std::weak_ptr<std::string> watched = content;
  StoredTensor tensor = view_npy(bytes_of(*content), content, "f.npy");
  const auto* begin = reinterpret_cast<const std::byte*>(content->data());
  EXPECT_TRUE(tensor.bytes.data() > begin && tensor.bytes.data() < begin + content->size());
  content.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(tensor.name, "f.npy");
  EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
  EXPECT_THAT(tensor.strides, ElementsAre(3, 1));
  EXPECT_THAT(numbers_of(tensor), ElementsAre(1, 2, 3, 4, 5, 6));
  tensor = {};
  EXPECT_TRUE(watched.expired());
}

TEST(NpyView, FortranOrderBecomesStrides) {
  const std::string content =
      make_npy_with_header(">i2", true, "(2, 3)", raw({0, 10, 1, 11, 2, 12}, Storage::int16, true));
  const StoredTensor tensor = view_npy(bytes_of(content), nullptr, "f.npy");
  EXPECT_THAT(tensor.strides, ElementsAre(1, 2));
  EXPECT_THAT(numbers_of(tensor), ElementsAre(0, 1, 2, 10, 11, 12));
  EXPECT_THAT(parse_npy(bytes_of(content), "f.npy").values, ElementsAre(0, 1, 2, 10, 11, 12));
}

TEST(NpyView, Bfloat16AsMlDtypesWritesIt) {
  for (const char* descr : {"<V2", "|V2", "V2"}) {
    const std::string content = make_npy_with_header(descr, false, "(3,)", raw({1, -0.5, 3.140625}, Storage::bfloat16));
    const StoredTensor tensor = view_npy(bytes_of(content), nullptr, "f.npy");
    EXPECT_EQ(tensor.storage, Storage::bfloat16) << descr;
    EXPECT_THAT(numbers_of(tensor), ElementsAre(1, -0.5, 3.140625)) << descr;
    EXPECT_REFUSED(parse_npy(bytes_of(content), "f.npy"), HasSubstr("V2"));
  }
}

TEST(NpyView, ComplexNumbers) {
  for (const auto& [descr, storage] : {std::pair("<c8", Storage::complex64), std::pair(">c16", Storage::complex128)}) {
    const std::string content =
        make_npy_with_header(descr, false, "(1, 2)", raw({1, -2, 0.5, 4}, storage, descr[0] == '>'));
    const StoredTensor tensor = view_npy(bytes_of(content), nullptr, "f.npy");
    EXPECT_EQ(tensor.storage, storage);
    EXPECT_THAT(numbers_of(tensor), ElementsAre(1, -2, 0.5, 4)) << descr;
    EXPECT_REFUSED(parse_npy(bytes_of(content), "f.npy"), HasSubstr(descr));
  }
}

TEST(NpyView, WritesEveryStorageItReads) {
  for (const Storage storage : {Storage::bfloat16, Storage::complex64, Storage::complex128, Storage::uint16}) {
    Tensor tensor;
    tensor.shape = {2, 1};
    tensor.format = storage;
    tensor.values = is_complex(storage) ? std::vector<double>{1, 2, 3, 4} : std::vector<double>{1, 2};
    const std::vector<std::byte> written = write_npy(tensor);
    const StoredTensor read = view_npy(written, nullptr, "f.npy");
    EXPECT_EQ(read.storage, storage);
    EXPECT_EQ(numbers_of(read), tensor.values);
  }
}

TEST(NpyView, SaysWhatIsWrong) {
  const std::string good = make_npy_with_header("<f4", false, "(2, 3)", raw({1, 2, 3, 4, 5, 6}, Storage::float32));
  EXPECT_THAT(view_error(good.substr(0, good.size() - 1)),
              AllOf(HasSubstr("f.npy: "), Says("error.npy.cut_short", {{"asked", "24"}, {"there", "23"}})));
  EXPECT_THAT(view_error(good + "x"), Says("error.npy.too_long"));
  EXPECT_THAT(view_error(""), Says("error.npy.not_npy"));
  EXPECT_THAT(view_error(make_npy_with_header("|V1", false, "(1,)", "x")), HasSubstr("bfloat16"));
  EXPECT_THAT(view_error(make_npy_with_header("|b1", false, "(1,)", "x")),
              Says("error.npy.dtype", {{"dtype", "\"|b1\""}}));
  EXPECT_THAT(view_error(make_npy_with_header("|O", false, "(1,)", "x")),
              Says("error.npy.dtype", {{"dtype", "\"|O\""}}));
  EXPECT_THAT(view_error(make_npy_with_header("<f4", false, "(4611686018427387904, 2)", "")),
              Says("error.npy.shape_too_large"));
}

TEST(NpyView, TheBeginningOfAFileDeclaresIt) {
  const std::string header = npy_header_text("<f4", {1000, 1000, 1000});
  const std::uint64_t whole = header.size() + 4'000'000'000;
  const StoredTensor declared = declare_npy(bytes_of(header), whole, "f.npy");
  EXPECT_TRUE(is_declared_only(declared));
  EXPECT_EQ(declared.count(), 1'000'000'000);
  std::vector<double> row(1'000'000);
  read_rows(declared, 999, 1, row.data());
  EXPECT_GT(row.back(), 0) << "nothing but the stand-in is looked at";
  EXPECT_REFUSED(declare_npy(bytes_of(header), whole - 1, "f.npy"),
                 AllOf(HasSubstr("f.npy: "), Says("error.npy.cut_short")));
  EXPECT_REFUSED(declare_npy(bytes_of(header).first(20), whole, "f.npy"),
                 Says("error.npy.header_too_long", {{"most", "10"}}));
}

}  // namespace
}  // namespace ropescope
