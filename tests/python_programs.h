#pragma once

#include "tests/temporary_folder.h"
#include "tests/test.h"

namespace ropescope {

/// A Python that has NumPy; empty: there is none.
inline std::string python_with_numpy() {
  for (const std::string program : {"python3", "/usr/bin/python3"}) {
    if (std::system((program + " -c 'import numpy' >/dev/null 2>&1").c_str()) == 0) return program;
  }
  return {};
}

/// Runs programs one after the other, in one Python with NumPy, and `after` on what each left (a dictionary `left`),
/// which gives a list of numbers: one list per program, none where no such Python is there. A program that fails is a
/// failure.
inline std::optional<std::vector<std::vector<double>>> run_with_numpy(const std::vector<std::string>& programs,
                                                                      const std::string& after) {
  const std::string python = python_with_numpy();
  if (python.empty()) return std::nullopt;
  const TemporaryFolder folder;
  const std::string path = folder.path.string();
  const auto place = [&](std::size_t i, const char* ending) { return path + "/" + std::to_string(i) + ending; };
  for (std::size_t i = 0; i < programs.size(); ++i) std::ofstream(place(i, ".py")) << programs[i] << "\n";
  std::ofstream(path + "/driver.py") << "import pathlib, sys\n"
                                        "for script in pathlib.Path(sys.argv[1]).glob('*.py'):\n"
                                        "    if script.name == 'driver.py': continue\n"
                                        "    left = {}\n"
                                        "    exec(compile(script.read_text(), str(script), 'exec'), left)\n"
                                        "    numbers = "
                                     << after
                                     << "\n"
                                        "    text = '\\n'.join(float(x).hex() for x in numbers)\n"
                                        "    script.with_suffix('.txt').write_text(text)\n";
  EXPECT_EQ(std::system((python + " -W error '" + path + "/driver.py' '" + path + "'").c_str()), 0);
  std::vector<std::vector<double>> all(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::ifstream file(place(i, ".txt"));
    EXPECT_TRUE(file) << "no numbers of program " << i << ":\n" << programs[i];
    for (std::string line; std::getline(file, line);) all[i].push_back(std::strtod(line.c_str(), nullptr));
  }
  return all;
}

}  // namespace ropescope
