"""Makes the folder that becomes the page's file system: assets without pictures, shaders for WebGL 2, and the fonts
with no more characters than the texts have.

    python3 app/platform/web/make_files.py SOURCE FOLDER

Fonts are those of Debian's fonts-inter, fonts-noto-cjk and fonts-dejavu; fonttools reduces them."""

import pathlib
import re
import shutil
import subprocess
import sys

FONTS = pathlib.Path("/usr/share/fonts")
ES = "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"


def characters_of(assets, language=None):
    """All characters of the texts: of a language, or of all."""
    files = [*assets.glob("text/*.json"), *assets.glob("lessons/*/*.md"), *assets.glob("handbook/**/*.md"),
             *assets.glob("models/*.json"), assets / "formulas" / "index.json"]
    found = set()
    for file in files:
        parts = {file.stem, *[part for part in file.parts]}
        if language and not parts & {language} and file.suffix in (".json", ".md") and parts & {"en", "ja", "ko"}:
            continue
        found |= set(file.read_text(encoding="utf-8"))
    found |= {chr(code) for code in [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x391, 0x3CA)]}
    # What app/ui/drawing/fonts.cpp wants besides the texts.
    fonts = (assets.parent / "app/ui/drawing/fonts.cpp").read_text(encoding="utf-8")
    return found | set(re.search(r"kAlwaysNeeded =(.*?);", fonts, re.S).group(1)) | set("\u2009\u202f\u00a0")


def subset(source, target, characters, face=None):
    listed = target.with_suffix(".txt")
    listed.write_text("".join(sorted(c for c in characters if c >= " ")), encoding="utf-8")
    command = ["pyftsubset", str(source), f"--text-file={listed}", f"--output-file={target}", "--layout-features=",
               "--drop-tables+=DSIG,GPOS,GSUB,GDEF,VORG,vhea,vmtx", "--name-IDs=", "--desubroutinize"]
    if face is not None:
        command.append(f"--font-number={face}")
    subprocess.run(command, check=True)
    listed.unlink()


def make_fonts(assets, folder):
    folder.mkdir(parents=True, exist_ok=True)
    everything = characters_of(assets)
    narrow = {c for c in everything if ord(c) < 0x2E80}
    for name in ("Inter-Regular", "Inter-SemiBold"):
        subset(FONTS / f"opentype/inter/{name}.otf", folder / f"{name}.otf", narrow)
    for name in ("DejaVuSans", "DejaVuSansMono"):
        subset(FONTS / f"truetype/dejavu/{name}.ttf", folder / f"{name}.ttf", narrow)
    for code, face in (("ja", 0), ("ko", 1)):
        wide = {c for c in characters_of(assets, code) if ord(c) >= 0x2E80} | set("日本語한국어")
        subset(FONTS / "opentype/noto/NotoSansCJK-Regular.ttc", folder / f"{code}.otf", wide, face)
        subset(FONTS / "opentype/noto/NotoSansCJK-Bold.ttc", folder / f"{code}-semibold.otf", wide, face)


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source / "assets", folder / "assets",
                    ignore=shutil.ignore_patterns("pictures", "dump", "*.mjs", "mathjax.js"))
    (folder / "shaders").mkdir()
    for file in (source / "shaders").iterdir():
        text = file.read_text(encoding="utf-8")
        (folder / "shaders" / file.name).write_text(ES + text.split("\n", 1)[1], encoding="utf-8")
    make_fonts(source / "assets", folder / "fonts")


main()
