#include "core/formats/npy.h"

#include <bit>

#include "core/precision/precision.h"
#include "says.h"
#include "tests/npy_files.h"

namespace ropescope {
namespace {

constexpr double kNpyInfinity = std::numeric_limits<double>::infinity();
constexpr NumberFormat kAllFormats[] = {NumberFormat::float64, NumberFormat::float32, NumberFormat::float16,
                                        NumberFormat::int64,   NumberFormat::int32,   NumberFormat::int16,
                                        NumberFormat::int8,    NumberFormat::uint8,   NumberFormat::uint16,
                                        NumberFormat::uint32,  NumberFormat::uint64};

/// A file of version 1.0, 2.0 or 3.0 with this dictionary, not padded, and these bytes after it.
std::string make_versioned_npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  std::size_t length = dictionary.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i, length >>= 8) file += static_cast<char>(length & 0xFF);
  return file + dictionary + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
Tensor parse(const std::string& file) {
  return parse_npy(bytes_of(file), "x.npy");
}

std::string find_npy_error(const std::string& file) {
  const std::string error = refusal_of([&] { parse(file); });
  EXPECT_THAT(error, StartsWith("x.npy: "));
  return error;
}

TEST(Float16, RoundsToNearestEven) {
  // Between every two finite neighbours: the middle goes to the even one, a hair beside it to the nearer one.
  for (int bits = 0; bits < 0x7BFF; ++bits) {
    const double low = float16_value(static_cast<std::uint16_t>(bits));
    const double high = float16_value(static_cast<std::uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    ASSERT_EQ(float16_bits(middle), bits + bits % 2) << middle;
    ASSERT_EQ(float16_bits(std::nextafter(middle, 0)), bits) << middle;
    ASSERT_EQ(float16_bits(std::nextafter(middle, kNpyInfinity)), bits + 1) << middle;
    ASSERT_EQ(float16_bits(-middle), 0x8000 + bits + bits % 2) << middle;
  }
}

TEST(Float16, KnownValues) {
  const std::pair<double, int> known[] = {
      {1, 0x3C00},       {-2, 0xC000},        {65504, 0x7BFF},        {65519.99, 0x7BFF},
      {65520, 0x7C00},   {-1e300, 0xFC00},    {kNpyInfinity, 0x7C00}, {0x1p-24, 0x0001},
      {0x1p-25, 0x0000}, {0x1.8p-25, 0x0001}, {-0.0, 0x8000},         {0.1, 0x2E66}};
  for (const auto& [value, bits] : known) EXPECT_EQ(float16_bits(value), bits) << value;
}

TEST(Npy, ReadsLittleAndBigEndian) {
  EXPECT_THAT(parse(make_versioned_npy(header("<f4", "(2,)"), std::string("\0\0\x80\x3F\0\0\x20\xC1", 8))).values,
              ElementsAre(1, -10));
  EXPECT_THAT(parse(make_versioned_npy(header(">f4", "(2,)"), std::string("\x3F\x80\0\0\xC1\x20\0\0", 8))).values,
              ElementsAre(1, -10));
  EXPECT_THAT(parse(make_versioned_npy(header(">i2", "(2,)"), std::string("\x01\x02\xFF\xFE", 4))).values,
              ElementsAre(258, -2));
  EXPECT_THAT(parse(make_versioned_npy(header("<u2", "(2,)"), std::string("\x01\x02\xFF\xFE", 4))).values,
              ElementsAre(513, 65279));
  EXPECT_THAT(parse(make_versioned_npy(header("|i1", "(2,)"), std::string("\xFF\x7F", 2))).values,
              ElementsAre(-1, 127));
  EXPECT_THAT(parse(make_versioned_npy(header("|u1", "(2,)"), std::string("\xFF\x7F", 2))).values,
              ElementsAre(255, 127));
  EXPECT_THAT(parse(make_versioned_npy(header(">f2", "(1,)"), std::string("\x3C\x00", 2))).values, ElementsAre(1));
}

TEST(Npy, ReadsFortranOrderRowMajor) {
  // Column-major bytes 0..5 of shape (2, 3): row 0 is 0, 2, 4.
  const Tensor tensor = parse(make_versioned_npy(header("|u1", "(2, 3)", true), std::string("\0\1\2\3\4\5", 6)));
  EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
  EXPECT_THAT(tensor.values, ElementsAre(0, 2, 4, 1, 3, 5));
  const Tensor cube = parse(make_versioned_npy(header("|u1", "(2, 2, 2)", true), std::string("\0\1\2\3\4\5\6\7", 8)));
  EXPECT_THAT(cube.values, ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(Npy, ReadsEveryVersionAndAnyOrderOfKeys) {
  const std::string mixed = "  {\"shape\": (1,),\n 'descr' : '<i2' , 'fortran_order':False}  \n";
  for (const int version : {1, 2, 3}) {
    const Tensor tensor = parse(make_versioned_npy(mixed, std::string("\x05\0", 2), version));
    EXPECT_THAT(tensor.values, ElementsAre(5));
    EXPECT_EQ(tensor.format, NumberFormat::int16);
  }
}

TEST(Npy, ReadsScalarsAndEmptyTensors) {
  EXPECT_THAT(parse(make_versioned_npy(header("|u1", "()"), "\x07")).values, ElementsAre(7));
  EXPECT_TRUE(parse(make_versioned_npy(header("<f8", "(0,)"), "")).values.empty());
  const Tensor tensor =
      parse(make_versioned_npy(header("<f8", "(9223372036854775807, 0, 9223372036854775807)", true), ""));
  EXPECT_EQ(tensor.shape.size(), 3u);
  EXPECT_TRUE(tensor.values.empty());
  EXPECT_THAT(parse(make_versioned_npy(header("|u1", "(2L,)"), "\x01\x02")).values, ElementsAre(1, 2));  // Python 2
}

TEST(Npy, RoundTripsEveryFormatAndShape) {
  const std::vector<std::vector<std::int64_t>> shapes = {{}, {6}, {2, 3}, {1, 2, 3}, {6, 1, 1, 1}, {0, 3}};
  for (const NumberFormat format : kAllFormats) {
    for (const auto& shape : shapes) {
      Tensor tensor;
      tensor.shape = shape;
      tensor.format = format;
      const std::size_t count = shape.empty() ? 1 : shape[0] == 0 ? 0 : 6;
      for (std::size_t i = 0; i < count; ++i) tensor.values.push_back(static_cast<double>(7 * i));
      const Tensor read = parse_npy(write_npy(tensor), "round.npy");
      EXPECT_EQ(read.shape, tensor.shape);
      EXPECT_EQ(read.format, format);
      EXPECT_EQ(read.values, tensor.values);
    }
  }
}

TEST(Npy, KeepsTheByteOrder) {
  for (const std::string descr : {">f8", "<f8", ">f4", "<f4", ">f2", "<f2", ">i2", "<u4", "|i1"}) {
    const std::size_t size = static_cast<std::size_t>(descr[2] - '0');
    std::string data = "\x12\x34\x56\x70\x12\x34\x56\x70";
    data.resize(size);
    const std::vector<std::byte> written = write_npy(parse(make_versioned_npy(header(descr, "(1,)"), data)));
    const std::string text(reinterpret_cast<const char*>(written.data()), written.size());
    EXPECT_THAT(text, HasSubstr("'descr': '" + descr + "'"));
    EXPECT_EQ(text.substr(text.size() - size), data) << descr;
  }
}

TEST(Npy, KeepsFloatsBitForBit) {
  Tensor tensor;
  tensor.values = {0.1, -0.0, 5e-324, kNpyInfinity, -kNpyInfinity, 1.7976931348623157e308, std::nan("")};
  tensor.shape = {7};
  const Tensor read = parse_npy(write_npy(tensor), "x.npy");
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read.values[i]), std::bit_cast<std::uint64_t>(tensor.values[i]));
  }
  tensor.format = NumberFormat::float32;
  const Tensor single = parse_npy(write_npy(tensor), "x.npy");
  EXPECT_EQ(single.values[0], static_cast<double>(0.1f));
  EXPECT_TRUE(std::signbit(single.values[1]));
  EXPECT_EQ(single.values[5], kNpyInfinity);
  EXPECT_TRUE(std::isnan(single.values[6]));
}

TEST(Npy, WritesWhatNumpyWrites) {
  Tensor tensor;
  tensor.shape = {3};
  tensor.format = NumberFormat::float32;
  tensor.values = {1, 2, 3};
  const auto bytes = write_npy(tensor);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // As numpy.save does: 128 bytes of header, blanks, a newline before the numbers.
  EXPECT_EQ(text.size(), 128u + 12u);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(text.substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  ");
  EXPECT_EQ(text[127], '\n');
}

TEST(Npy, RefusesIntegersThatDoNotFit) {
  const auto refuses = [](NumberFormat format, double value) {
    Tensor tensor;
    tensor.shape = {1};
    tensor.format = format;
    tensor.values = {value};
    EXPECT_THROW(write_npy(tensor), InputError) << value;
  };
  refuses(NumberFormat::int8, 128);
  refuses(NumberFormat::int8, -129);
  refuses(NumberFormat::uint8, -1);
  refuses(NumberFormat::uint8, 256);
  refuses(NumberFormat::int64, 0x1p63);
  refuses(NumberFormat::uint64, 0x1p64);
  refuses(NumberFormat::int32, std::nan(""));
  refuses(NumberFormat::int32, kNpyInfinity);
}

TEST(NpyErrors, OfDictionariesShapesAndSizes) {
  expect_refusals("npy", 14, [](const json& given) {
    return find_npy_error(given.is_string() ? given.get<std::string>()
                                            : make_versioned_npy(given[0], given[1], given[2].get<int>()));
  });
}

TEST(NpyErrors, NotANpy) {
  EXPECT_THAT(find_npy_error("\x93NUMP"), Says("error.npy.not_npy"));
  EXPECT_THAT(find_npy_error(std::string("\x93NUMPY\x01\x00", 8)), Says("error.npy.ends_in_header"));
  EXPECT_THAT(find_npy_error(std::string("\x93NUMPY\x02\x00\x01\x00", 10)), Says("error.npy.ends_in_header"));
}

TEST(NpyErrors, HeadersThatLie) {
  std::string file = make_versioned_npy(header("<f4", "(1,)"), "abcd");
  file[8] = '\xFF';
  file[9] = '\xFF';
  EXPECT_THAT(find_npy_error(file), Says("error.npy.header_cut", {{"claimed", "65535"}}));
  file = make_versioned_npy(header("<f4", "(1,)"), "abcd", 2);
  for (int i = 8; i < 12; ++i) file[static_cast<std::size_t>(i)] = '\xFF';
  EXPECT_THAT(find_npy_error(file), Says("error.npy.header_cut", {{"claimed", "4294967295"}}));
  file = make_versioned_npy(header("<f4", "(1,)"), "abcd");
  file[8] = 10;  // ends in the middle of the dictionary
  EXPECT_THAT(find_npy_error(file), Says("error.npy.damaged"));
}

TEST(NpyErrors, ShapesBeyondAnyFile) {
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_THAT(find_npy_error(make_versioned_npy(header("|u1", many + ")"), "a")),
              Says("npy.dimensions", {{"most", "64"}}));
}

TEST(NpyErrors, DtypesThatAreNotPlainNumbers) {
  for (const char* descr : {"|b1", "<c8", "<c16", "|O", "<U4", "|S3", "|V2", "<f16", "<M8[ns]", "", "<", "<f4 "}) {
    EXPECT_THAT(find_npy_error(make_versioned_npy(header(descr, "(1,)"), "aaaa")),
                Says("error.npy.dtype_plain", {{"dtype", "\"" + std::string(descr) + "\""}}))
        << descr;
  }
}

TEST(NpyErrors, BrokenDictionaries) {
  const std::vector<std::string> broken = {
      "",
      "{",
      "[]",
      "{'descr': <f4}",
      "{'descr': '<f4",
      "{'descr' '<f4'}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} junk",
  };
  for (const std::string& dictionary : broken) {
    EXPECT_THAT(find_npy_error(make_versioned_npy(dictionary, "abcd")), Says("error.npy.damaged")) << dictionary;
  }
}

}  // namespace
}  // namespace ropescope
