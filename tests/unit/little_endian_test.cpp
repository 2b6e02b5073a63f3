#include "core/machine.h"

#include "tests/test.h"

namespace ropescope {
namespace {

/// The bytes of a number as to_little_endian() writes them, one behind the other from the left.
template <class Number>
constexpr std::uint64_t written(Number number) {
  std::array<char, sizeof(Number)> bytes{};
  to_little_endian(number, bytes.data());
  std::uint64_t from_the_left = 0;
  for (const char byte : bytes) from_the_left = from_the_left << 8 | static_cast<unsigned char>(byte);
  return from_the_left;
}

// Known while compiling, and so the same for compilers of every machine.
static_assert(written(std::uint32_t{0x01020304}) == 0x04030201);
static_assert(written(std::int64_t{-2}) == 0xfeffffffffffffff);
static_assert(written(1.0f) == 0x0000803f);
static_assert(written(-2.5) == 0x00000000000004c0);

template <class Number>
void expect_round_trip(const std::vector<Number>& numbers) {
  std::string as_they_lie = "head", byte_by_byte = "head";
  append_little_endian(std::span<const Number>(numbers), as_they_lie);
  append_little_endian(std::span<const Number>(numbers), byte_by_byte, false);
  EXPECT_EQ(as_they_lie, byte_by_byte);
  ASSERT_EQ(byte_by_byte.size(), 4 + numbers.size() * sizeof(Number));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Number back = from_little_endian<Number>(byte_by_byte.data() + 4 + i * sizeof(Number));
    EXPECT_EQ(std::bit_cast<BitsOf<Number>>(back), std::bit_cast<BitsOf<Number>>(numbers[i])) << i;
  }
}

TEST(LittleEndian, NumbersComeBackBitForBit) {
  expect_round_trip<float>({0.0f, -0.0f, 1.5f, -3e38f, std::nanf(""), std::numeric_limits<float>::denorm_min()});
  expect_round_trip<double>({0.0, -0.0, 0.1, -1e308, std::nan(""), std::numeric_limits<double>::infinity()});
  expect_round_trip<std::int64_t>({0, -1, 258, std::numeric_limits<std::int64_t>::min()});
  expect_round_trip<std::uint16_t>({0, 1, 258, 65535});
  expect_round_trip<double>({});
}

TEST(LittleEndian, TheByteThatComesFirst) {
  std::string text;
  const std::array<std::uint16_t, 2> numbers{0x0102, 0xfffe};
  append_little_endian(std::span<const std::uint16_t>(numbers), text);
  EXPECT_EQ(text, std::string("\x02\x01\xfe\xff", 4));
}

}  // namespace
}  // namespace ropescope
