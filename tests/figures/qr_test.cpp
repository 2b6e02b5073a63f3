// QR codes: the drawing is the code, with its margin. The code of a text is determined by the library; that of
// "ropescope:1" was verified by another program that read a picture of it.
#include "app/figure/pages/qr.h"

#include "tests/test.h"

namespace ropescope {
namespace {

std::vector<std::string> rows_of(const QrCode& code) {
  std::vector<std::string> rows;
  for (int row = 0; row < code.side; ++row) {
    rows.emplace_back();
    for (int column = 0; column < code.side; ++column) {
      rows.back() += code.dark[static_cast<std::size_t>(row * code.side + column)] ? '#' : '.';
    }
  }
  return rows;
}

TEST(QrCode, HasThreeFindersAndTimes) {
  for (const std::size_t length : {1, 14, 100, 600, 601, 2953}) {
    const std::optional<QrCode> code = qr_code(std::string(length, 'a'));
    ASSERT_TRUE(code.has_value()) << length;
    const std::vector<std::string> rows = rows_of(*code);
    const std::string finder = "#######.";
    EXPECT_EQ(rows.front().substr(0, 8), finder);
    EXPECT_EQ(rows.front().substr(rows.size() - 8), ".#######");
    EXPECT_EQ(rows.back().substr(0, 8), finder);
    for (std::size_t i = 8; i + 8 < rows.size(); ++i) {
      EXPECT_EQ(rows[6][i] == '#', i % 2 == 0) << length;
      EXPECT_EQ(rows[i][6] == '#', i % 2 == 0) << length;
    }
  }
}

TEST(QrCode, GrowsWithTheText) {
  EXPECT_EQ(qr_code("ropescope:1")->side, 21);
  EXPECT_EQ(qr_code(std::string(600, 'a'))->side, 93);
  EXPECT_EQ(qr_code(std::string(2953, 'a'))->side, 177);
  EXPECT_FALSE(qr_code("").has_value());
  EXPECT_FALSE(qr_code(std::string(2954, 'a')).has_value());
  EXPECT_FALSE(qr_code(std::string(1 << 20, 'a')).has_value());
}

TEST(QrCode, IsDrawnRunByRunWithinItsMargin) {
  const QrCode code = *qr_code("https://example.org/#1&view=decay");
  const int cells = code.side + 2 * kQrMargin;
  const Rect square{100, 50, 3.0 * cells, 3.0 * cells};
  std::vector<bool> drawn(code.dark.size());
  for (const Rect& rect : qr_rects(code, square)) {
    EXPECT_NEAR(rect.height, 3, 1e-9);
    const int row = static_cast<int>(std::lround((rect.top - square.top) / 3)) - kQrMargin;
    const int first = static_cast<int>(std::lround((rect.left - square.left) / 3)) - kQrMargin;
    const int count = static_cast<int>(std::lround(rect.width / 3));
    ASSERT_TRUE(row >= 0 && row < code.side && first >= 0 && first + count <= code.side);
    for (int column = first; column < first + count; ++column) {
      drawn[static_cast<std::size_t>(row * code.side + column)] = true;
    }
  }
  EXPECT_EQ(drawn, code.dark);
}

}  // namespace
}  // namespace ropescope
