#include "app/figure/text_flow.h"

#include "tests/test.h"

namespace ropescope {
namespace {

/// The text with a bar wherever a line may begin.
std::string with_bars(const std::string& text, std::vector<std::size_t> (*starts)(const std::string&) = line_starts) {
  std::string shown;
  std::size_t done = 0;
  for (const std::size_t start : starts(text)) {
    shown += text.substr(done, start - done) + "|";
    done = start;
  }
  return shown + text.substr(done);
}

TEST(LineStarts, AreBetweenWords) {
  EXPECT_EQ(with_bars("one two"), "one |two");
  EXPECT_EQ(with_bars("one  two "), "one  |two ");
  EXPECT_EQ(with_bars("/home/x y"), "/|home/|x |y");
  EXPECT_EQ(with_bars("word"), "word");
  EXPECT_EQ(with_bars(""), "");
  EXPECT_EQ(with_bars("131\u202F072 tokens, \u22120.5"), "131\u202F072 |tokens, |\u22120.5");
}

// Kinsoku: what may not begin a line in Japanese.
TEST(LineStarts, AreNotBeforeJapaneseMarksAndSmallKana) {
  EXPECT_EQ(with_bars("エンコーディング"), "エ|ン|コー|ディ|ン|グ");
  EXPECT_EQ(with_bars("距離、位置。"), "距|離、|位|置。");
  EXPECT_EQ(with_bars("（回転）"), "（回|転）");
  EXPECT_EQ(with_bars("しょっちゅう"), "しょっ|ちゅ|う");
  EXPECT_EQ(with_bars("RoPE は"), "RoPE |は");
}

TEST(LineStarts, OfTitlesAreThoseOfPhrases) {
  EXPECT_EQ(with_bars("長さは掛け算、角度は引き算", phrase_starts), "長さは|掛け算、|角度は|引き算");
  EXPECT_EQ(with_bars("位置エンコーディングの変化", phrase_starts), "位置|エンコーディングの|変化");
  EXPECT_EQ(with_bars("「歌う」を見る", phrase_starts), "「歌う」を|見る");
  EXPECT_EQ(with_bars("図3の10回", phrase_starts), "図3の|10回");
  EXPECT_TRUE(phrase_starts("two words").empty()) << "of other languages words are enough";
  EXPECT_TRUE(phrase_starts("회전 위치 임베딩은").empty());
}

TEST(LineStarts, OfPhrasesTearNoWordAndLeaveNoEndAlone) {
  EXPECT_EQ(with_bars("値を見てください。", phrase_starts), "値を|見て|ください。");
  EXPECT_EQ(with_bars("何千もの行列2つ、類似度が", phrase_starts), "何千|もの|行列|2つ、|類似度が");
  EXPECT_EQ(with_bars("単語の埋め込みは反時計回り", phrase_starts), "単語の|埋め込みは|反時計|回り");
  EXPECT_EQ(with_bars("Query と Key の差です。", phrase_starts), "Query と |Key の|差です。");
  EXPECT_EQ(with_bars("もう一方が動いています（24）。", phrase_starts), "もう|一方が|動いています（24）。");
  EXPECT_EQ(with_bars("小さくして2つ目でしょうか。", phrase_starts), "小さくして|2つ目でしょうか。");
  EXPECT_EQ(with_bars("10位置進むと半周回す", phrase_starts), "10位置|進むと|半周|回す") << "two words";
}

TEST(LineStarts, PhrasesArePartedWhereElseWordsWouldBeLost) {
  // Nine characters of three bytes each to a line.
  const auto nine = [](std::string_view rest) { return std::min<std::size_t>(rest.size(), 27); };
  const auto lines = [&](std::size_t most) {
    std::string all;
    for (const std::string_view line : text_lines("位置エンコーディングの変化", nine, most))
      all += std::string(line) + '|';
    return all;
  };
  EXPECT_EQ(lines(3), "位置|エンコーディングの|変化|");
  EXPECT_EQ(lines(2), "位置エンコーディン|グの変化|");
}

TEST(LineStarts, TearNoJapaneseWordThatFitsInALine) {
  const auto of_width = [](std::size_t characters) {
    return [characters](std::string_view rest) { return std::min(rest.size(), 3 * characters); };
  };
  using Lines = std::vector<std::string_view>;
  EXPECT_EQ(text_lines("長さは掛け算、角度は引き算", of_width(9)), (Lines{"長さは掛け算、", "角度は引き算"}));
  EXPECT_EQ(text_lines("位置エンコーディングの変化", of_width(10)), (Lines{"位置", "エンコーディングの", "変化"}));
  EXPECT_EQ(text_lines("位置エンコーディングの変化", of_width(6)), (Lines{"位置", "エンコーディ", "ングの変化"}))
      << "one that is wider is parted by the strict rules";
}

TEST(LineStarts, KeepJapaneseNumbersWithWhatTheyCount) {
  EXPECT_EQ(with_bars("軸は2つある"), "軸|は|2つ|あ|る");
  EXPECT_EQ(with_bars("図3の10回"), "図3の|10回");
  EXPECT_EQ(with_bars("第16ステップ"), "第16|ス|テッ|プ");
  EXPECT_EQ(with_bars("交差540回"), "交|差|540回");
}

TEST(LineStarts, KeepNumbersWhole) {
  EXPECT_EQ(with_bars("is \u22121.1 × 10\u207B\u00B9\u2076 here"), "is |\u22121.1 × 10\u207B\u00B9\u2076 |here");
  EXPECT_EQ(with_bars("64 × 64 patches"), "64 |× |64 |patches");
  EXPECT_EQ(with_bars("up to ≈ 5\u202F730 years"), "up |to |≈ 5\u202F730 |years");
}

TEST(LineStarts, KeepKoreanWordsWhole) {
  EXPECT_EQ(with_bars("회전 위치 임베딩은"), "회전 |위치 |임베딩은");
  EXPECT_EQ(with_bars("거리 0에서"), "거리 |0에서");
  EXPECT_EQ(with_bars("값(0)이"), "값(0)이") << "a particle stays with its word";
}

TEST(LineStarts, KeepTheHyphensOfOptions) {
  EXPECT_EQ(with_bars("say --size 3"), "say |--size |3");
  EXPECT_EQ(with_bars("[\"--size\", \"3\"]"), "[\"--size\", |\"3\"]");
  EXPECT_EQ(with_bars("well-known"), "well-|known");
}

/// Lines of words, the second of which is to be typed, on a page whose unit is a letter.
std::string lines_of(double width, bool whole) {
  const std::vector<FlowWords> words = {{.text = "use "}, {.text = "a-b c/d", .whole = whole}, {.text = " now"}};
  const TextFlow flow = flow_text(words, {1, width, 1}, nullptr, [](std::string_view text, const TextStyle&) {
    return Vec2{static_cast<double>(text.size()), 1};
  });
  std::string lines;
  double top = 0;
  for (const TextItem& item : flow.items) {
    if (item.at.y != top) lines += "|";
    top = item.at.y;
    lines += item.text;
  }
  return lines;
}

TEST(Flow, BreaksWhatIsToBeTypedOnlyWhereItHasNoRoom) {
  EXPECT_EQ(lines_of(8, false), "use a-b|c/d now");
  EXPECT_EQ(lines_of(8, true), "use|a-b c/d|now");
  EXPECT_EQ(lines_of(5, true), lines_of(5, false)) << "wider than a line";
}

}  // namespace
}  // namespace ropescope
