// The modules stay separate: this test reads every #include of core and app.

#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {

namespace {

struct Include {
  std::string file;  ///< from the top of the repository
  int line = 0;
  std::string header;
};

std::vector<Include> includes_of(const std::string& folder) {
  const fs::path top = source_folder();
  const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^">]+)[">])");
  const std::set<std::string> endings = {".h", ".hpp", ".cpp", ".c", ".cc"};
  std::vector<Include> includes;
  for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
    if (!entry.is_regular_file() || !endings.contains(entry.path().extension().string())) continue;
    std::ifstream file(entry.path());
    std::string text;
    for (int line = 1; std::getline(file, text); ++line) {
      std::smatch match;
      if (text.find("include") == std::string::npos || !std::regex_search(text, match, pattern)) continue;
      includes.push_back({entry.path().lexically_relative(top).generic_string(), line, match[1]});
    }
  }
  return includes;
}

bool matches(const std::string& text, const char* pattern) {
  // Each pattern is compiled once: compiling takes longer than all searches with it.
  static std::map<std::string, std::regex> compiled;
  return std::regex_search(text, compiled.try_emplace(pattern, pattern).first->second);
}

/// Fails for every include of `folder` whose header matches, unless its file matches `allowed_files`.
void forbid_includes(const std::string& folder, const char* headers, const char* allowed_files, const char* reason) {
  const std::vector<Include> includes = includes_of(folder);
  ASSERT_FALSE(includes.empty()) << folder;
  for (const Include& include : includes) {
    if (!matches(include.header, headers) || matches(include.file, allowed_files)) continue;
    ADD_FAILURE() << include.file << ':' << include.line << " includes " << include.header << ": " << reason;
  }
}

constexpr const char* kNowhere = "^$";
constexpr const char* kImGui = "^(imgui|imstb|implot|backends/imgui)|/imgui[^/]*\\.h$";
constexpr const char* kGl = "^(GL|GLES[0-9]*|OpenGL|glad|epoxy)/";
constexpr const char* kWindow = "^(GLFW|EGL)/";

}  // namespace

TEST(Includes, CoreKnowsNothingOfTheApplication) {
  forbid_includes("core", "^app/|/app/|^\\.\\.", kNowhere, "core never depends on app");
  forbid_includes("core", kImGui, kNowhere, "core never draws");
  forbid_includes("core", kGl, kNowhere, "core never draws");
  forbid_includes("core", kWindow, kNowhere, "core never opens a window");
  forbid_includes("core", "cairo|pango|fontconfig|ft2build|freetype", kNowhere, "core never makes pages");
}

/// The floors of the house, from the lowest: what stands on one includes what stands on it or below, never above.
constexpr const char* kFloors[] = {
    "core",
    "core/rotary",
    "core/decay",
    "core/scaling",
    "core/layouts",
    "core/matrix_products",
    "core/encodings",
    "core/attention",
    "core/weights",
    "core/training",
    "core/precision",
    "core/check/reading/stored_tensor.h",  // numbers as files keep them: what check is asked with
    "core/check/reading/stored_tensor.cpp",
    "core/check",
    "core/check/reading",
    "core/check/model",
    "core/check/compare",
    "core/check/evidence",
    "core/check/causes",
    "core/check/search",
    "core/check/report",
    "core/check/check.cpp",  // what the others together are for; its header, which they include, is their lowest floor
    "core/check/compare_specs",
    "core/formats",
    "core/formats/programs",
    "app/resources",
    "app/figure",
    "app/figure/pages",
    "app/experiment",
    "app/store",
    "app/views",
    "app/lessons",
    "app/gpu",
    "app/platform",
    "app/ui",
    "app/platform/web",  // the page's own loop in the place of app/commands, and twins of what it has in another way
    "app/commands",
    "app",
};

/// −1 where a file stands on none.
int floor_of(const std::string& file) {
  int floor = -1;
  std::size_t longest = 0;
  const std::string folder = file.substr(0, file.find_last_of('/'));
  for (std::size_t i = 0; i < std::size(kFloors); ++i) {
    const std::string name = kFloors[i];
    // A folder within a room stands on the room's floor, unless it has one of its own.
    const bool here = file == name || folder == name || folder.rfind(name + '/', 0) == 0;
    if (here && name.size() >= longest) floor = static_cast<int>(i), longest = name.size();
  }
  return floor;
}

TEST(Includes, NoFloorStandsOnAHigherOne) {
  int seen = 0;
  for (const char* top : {"core", "app"}) {
    for (const Include& include : includes_of(top)) {
      if (!matches(include.header, "^(core|app)/")) continue;
      const int own = floor_of(include.file), other = floor_of(include.header);
      EXPECT_GE(own, 0) << include.file << " stands on no floor";
      EXPECT_GE(own, other) << include.file << ':' << include.line << " includes " << include.header;
      seen += 1;
    }
  }
  EXPECT_GT(seen, 500);
}

TEST(Includes, NoHeaderIncludesItselfByOthers) {
  std::map<std::string, std::vector<std::string>> of;
  for (const char* top : {"core", "app"}) {
    for (const Include& include : includes_of(top)) {
      if (matches(include.file, "\\.h$") && matches(include.header, "^(core|app)/"))
        of[include.file].push_back(include.header);
    }
  }
  ASSERT_GT(of.size(), 50u);
  std::map<std::string, int> state;  // 1: on the way, 2: done
  const std::function<void(const std::string&)> walk = [&](const std::string& header) {
    state[header] = 1;
    for (const std::string& next : of[header]) {
      EXPECT_NE(state[next], 1) << header << " includes " << next << ", which includes it";
      if (state[next] == 0) walk(next);
    }
    state[header] = 2;
  };
  const auto headers = of;
  for (const auto& [header, ignored] : headers) {
    if (state[header] == 0) walk(header);
  }
}

TEST(Includes, OnlyFormatsParse) {
  forbid_includes("core", "^(nlohmann/|zip\\.h|zipconf\\.h|libzip)", "^core/formats/", "only core/formats parses");
  forbid_includes("core", "^core/formats/", "^core/formats/", "formats stands on core, not core on formats");
}

TEST(Includes, OnlyTheGlBackEndIncludesGl) {
  forbid_includes("app", kGl, "^app/gpu/gl[^/]*$", "only app/gpu/gl* includes GL");
}

TEST(Includes, OnlyPlatformIncludesWindowsAndSurfaces) {
  forbid_includes("app", kWindow, "^app/platform/", "only app/platform includes GLFW and EGL");
}

TEST(Includes, NothingReachesForANetwork) {
  constexpr const char* kNetwork = "^(sys/socket|netdb|curl/|arpa/|netinet/|boost/asio|asio)";
  forbid_includes("app", kNetwork, kNowhere, "ropescope has no network");
  forbid_includes("core", kNetwork, kNowhere, "ropescope has no network");
}

TEST(Includes, OnlyTheClipboardStartsAProgram) {
  const std::regex starts(R"((^|[^\w.>"])(popen|system|v?fork|posix_spawnp?|exec[lv][pe]*)\s*\()");
  std::set<std::string> starters;
  for (const char* room : {"core", "app"}) {
    const fs::path top = source_folder();
    for (const auto& entry : fs::recursive_directory_iterator(top / room)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        const bool comment = line.find("//") < line.find_first_not_of(" /");
        if (!comment && std::regex_search(line, starts)) {
          starters.insert(entry.path().lexically_relative(top).generic_string());
        }
      }
    }
  }
  EXPECT_EQ(starters, std::set<std::string>{"app/platform/desktop_posix.cpp"});
}

TEST(Includes, OnlyTheInterfaceCallsImGui) {
  // Dear ImGui's own back ends live in gpu and platform; these commands own the frame: they begin and end it.
  forbid_includes("app", kImGui, "^app/(ui/|gpu/|platform/|commands/(window|render)\\.(cpp|h)$)",
                  "only app/ui calls ImGui");
}

TEST(Includes, PublicHeadersAreClosed) {
  // Who installs core has these headers and no others: each of ours that one of them includes stands in the list too.
  std::ifstream list(fs::path(source_folder()) / "core/public_headers.txt");
  std::set<std::string> named;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.front() == '#') continue;
    EXPECT_TRUE(fs::is_regular_file(fs::path(source_folder()) / line)) << line;
    EXPECT_TRUE(named.insert(line).second) << line << " stands there twice";
  }
  ASSERT_GE(named.size(), 2u);
  for (const Include& include : includes_of("core")) {
    if (!named.contains(include.file)) continue;
    const bool ours = matches(include.header, "^(core|app)/");
    EXPECT_TRUE(!ours || named.contains(include.header))
        << include.file << ':' << include.line << " includes " << include.header << ", which is not installed";
    EXPECT_FALSE(matches(include.header, "^(nlohmann/|zip)"))
        << include.file << ": who includes it has no such package";
  }
}

TEST(Includes, ReaderSeesIncludes) {
  bool found = false;
  for (const Include& include : includes_of("core")) {
    found |= include.file == "core/rotary/rotation.cpp" && include.header == "core/rotary/rotation.h";
  }
  EXPECT_TRUE(found);
}

}  // namespace ropescope
