// Texts embedded invisibly in pictures: what was written is read back, and no claim of a file about itself is trusted.
#include "core/formats/embedded_text.h"

#include "tests/said.h"

namespace ropescope {
namespace {

const std::string kText = R"({"ropescope":1,"a":"<b> & 'c' \"d\" ]]> (e) \\ \u00e9","list":[1,2]})";

std::string png() {
  return std::string(kPngSignature) + png_chunk("IHDR", std::string(13, '\1')) + png_chunk("IDAT", "pixels") +
         png_chunk("IEND", "");
}

std::optional<std::string> read_carried_text(const std::string& file) {
  return carried_text(file, "f");
}

std::string find_carried_error(const std::string& file) {
  return refusal_of([&file] { read_carried_text(file); });
}

std::string pdf(const std::string& keywords) {
  return "%PDF-1.4\n1 0 obj\n<< /Title (x) /Keywords " + keywords + "\n/Creator (y) >>\nendobj\ntrailer\n%%EOF\n";
}

std::string hexadecimal(const std::string& bytes) {
  std::string digits;
  for (const char c : bytes) {
    for (const int shift : {4, 0}) digits += "0123456789abcdef"[static_cast<unsigned char>(c) >> shift & 15];
  }
  return digits;
}

std::string utf16(const std::string& ascii) {
  std::string bytes = "\xfe\xff";
  for (const char c : ascii) bytes += std::string(1, '\0') + c;
  return bytes;
}

TEST(CarriedText, OfAPng) {
  EXPECT_EQ(read_carried_text(png()), std::nullopt);
  const std::string file = png_with_text(png(), kText);
  EXPECT_EQ(read_carried_text(file), kText);
  EXPECT_EQ(file.size(), png().size() + 12 + 25 + kText.size());
  EXPECT_TRUE(may_carry_text(file));
  const std::string named = "ropescope-experiment" + std::string(3, '\0') + "en" + '\0' + "title" + '\0' + kText;
  EXPECT_EQ(read_carried_text(png().insert(kAfterPngHeader, png_chunk("iTXt", named))), kText) << "with a language";
  EXPECT_EQ(
      read_carried_text(png().insert(kAfterPngHeader, png_chunk("iTXt", "another" + std::string(5, '\0') + kText))),
      std::nullopt);
}

TEST(CarriedText, OfADamagedPng) {
  const std::string file = png_with_text(png(), kText);
  for (std::size_t length = 0; length < file.size(); ++length) {
    const std::string part = file.substr(0, length);
    try {
      const auto text = read_carried_text(part);
      EXPECT_TRUE(!text || *text == kText) << length;
    } catch (const InputError& error) {
      EXPECT_THAT(said(error), Says("error.carried_text.cut")) << length;
    }
  }
  std::string lies = file;
  lies[kAfterPngHeader] = '\x7f';
  EXPECT_THAT(find_carried_error(lies), Says("error.carried_text.cut"));
  std::string changed = file;
  changed[kAfterPngHeader + 60] ^= 1;
  EXPECT_THAT(find_carried_error(changed), HasSubstr("checksum"));
  const std::string packed = "ropescope-experiment" + std::string(1, '\0') + '\1' + std::string(3, '\0') + "x";
  EXPECT_THAT(find_carried_error(png().insert(kAfterPngHeader, png_chunk("iTXt", packed))), HasSubstr("compressed"));
}

TEST(CarriedText, OfAnSvg) {
  const std::string svg = "<?xml version=\"1.0\"?>\n<svg width=\"1\">\n<g/>\n</svg>\n";
  EXPECT_EQ(read_carried_text(svg), std::nullopt);
  const std::string file = svg_with_text(svg, kText);
  EXPECT_EQ(read_carried_text(file), kText);
  EXPECT_TRUE(may_carry_text(file));
  EXPECT_EQ(read_carried_text(svg_with_text("<svg></svg>", "of %PDF-1.4")), "of %PDF-1.4") << "it is no PDF for that";
  const auto with = [&](const std::string& element) {
    return read_carried_text("<svg><metadata>x</metadata>" + element + "</svg>");
  };
  EXPECT_EQ(with("<metadata class='m' id='ropescope-experiment'>a&#65;&#x42;&quot;&lt;&unknown;&#xd800;</metadata>"),
            "aAB\"<&unknown;&#xd800;");
  EXPECT_EQ(with("<metadata id=\"ropescope-experiment\"><![CDATA[<&amp;]]>&amp;</metadata>"), "<&amp;&");
  EXPECT_EQ(with("<metadata id=\"ropescope-experiment\"><![CDATA[open</metadata>"), "open");
  EXPECT_EQ(with("<metadata>ropescope-experiment</metadata>"), std::nullopt);
  EXPECT_EQ(with("<metadata id=\"ropescope-experiment\""), std::nullopt);
  EXPECT_THAT(find_carried_error("<svg><metadata id=\"ropescope-experiment\">{"), Says("error.carried_text.cut"));
}

TEST(CarriedText, OfAPdf) {
  const std::string words = pdf_keywords("{\"a\": 1}");
  EXPECT_EQ(read_carried_text(pdf("(" + words + ")")), "{\"a\": 1}");
  EXPECT_EQ(read_carried_text(pdf("(" + words + " (in (two)) \\) \\\\ \\050\\53 \\\n\\n)")),
            "{\"a\": 1} (in (two)) ) \\ (+ \n");
  EXPECT_EQ(read_carried_text(pdf("<" + hexadecimal(words) + ">")), "{\"a\": 1}");
  EXPECT_EQ(read_carried_text(pdf("< " + hexadecimal(utf16(words)) + "\n>")), "{\"a\": 1}");
  EXPECT_EQ(read_carried_text(pdf("<feff" + hexadecimal(utf16(words).substr(2)) + "d83dde00 00e9>")),
            "{\"a\": 1}\xf0\x9f\x98\x80\xc3\xa9");
  EXPECT_EQ(read_carried_text(pdf("(\xef\xbb\xbf" + words + "\xc3\xa9)")), "{\"a\": 1}\xc3\xa9");
  EXPECT_EQ(read_carried_text(pdf("(" + words + "\xe9)")), "{\"a\": 1}\xc3\xa9");
  EXPECT_EQ(read_carried_text(pdf("(rope, position)")), std::nullopt);
  EXPECT_EQ(read_carried_text(pdf("12 0 R")), std::nullopt);
  EXPECT_EQ(read_carried_text(pdf("(" + words + ")") + pdf("(" + pdf_keywords("later") + ")")), "later");
  EXPECT_EQ(read_carried_text(pdf("(" + words + ")") + pdf("(others)")), "{\"a\": 1}");
  EXPECT_THAT(find_carried_error(pdf("(" + words + "\\)")), Says("error.carried_text.cut"));
  EXPECT_THAT(find_carried_error(pdf("<" + hexadecimal(words) + "xyz>")), Says("error.carried_text.cut"));
}

// Each of these would take hours if every beginning were followed to the end of the file.
TEST(CarriedText, OfFilesFullOfBeginnings) {
  const auto many = [](const std::string& beginning) {
    std::string file;
    while (file.size() < 4'000'000) file += beginning;
    return file;
  };
  EXPECT_EQ(read_carried_text("%PDF-1.4\n" + many("/Keywords (")), std::nullopt);
  EXPECT_EQ(read_carried_text("%PDF-1.4\n" + many("/Keywords (\\\n")), std::nullopt);
  EXPECT_EQ(read_carried_text("%PDF-1.4\n" + many("/Keywords <  ")), std::nullopt);
  EXPECT_EQ(read_carried_text("<svg>" + many("<metadata ")), std::nullopt);
  EXPECT_EQ(read_carried_text("<svg>" + many("<metadata ") + ">"), std::nullopt);
  EXPECT_EQ(read_carried_text(std::string(kPngSignature) + many(std::string(12, '\0'))), std::nullopt);
}

TEST(CarriedText, NotOfOtherFiles) {
  for (const std::string file : {"", "{\"ropescope\": 1}", "\x89PN", "GIF89a", "%PD", "a\0b"}) {
    EXPECT_FALSE(may_carry_text(file));
    EXPECT_EQ(read_carried_text(file), std::nullopt);
  }
}

}  // namespace
}  // namespace ropescope
