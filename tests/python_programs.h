#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ropescope {

/// A Python that has NumPy; empty: there is none.
inline std::string python_with_numpy() {
  for (const std::string program : {"python3", "/usr/bin/python3"}) {
    if (std::system((program + " -c 'import numpy' >/dev/null 2>&1").c_str()) == 0) return program;
  }
  return {};
}

/// Runs NAME.py of a folder one after the other, in one Python, and then `after` on what it left (a dictionary `left`),
/// which gives a list of numbers: they stand in NAME.txt. False where one of them failed.
inline bool run_programs(const std::string& python, const std::filesystem::path& folder, const std::string& after) {
  std::ofstream(folder / "driver.py") << "import pathlib, sys\n"
                                         "for script in pathlib.Path(sys.argv[1]).glob('*.py'):\n"
                                         "    if script.name == 'driver.py': continue\n"
                                         "    left = {}\n"
                                         "    exec(compile(script.read_text(), str(script), 'exec'), left)\n"
                                         "    numbers = "
                                      << after
                                      << "\n"
                                         "    text = '\\n'.join(float(x).hex() for x in numbers)\n"
                                         "    script.with_suffix('.txt').write_text(text)\n";
  const std::string path = folder.string();
  return std::system((python + " -W error '" + path + "/driver.py' '" + path + "'").c_str()) == 0;
}

/// The numbers that a program left.
inline std::vector<double> numbers_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (std::string line; std::getline(file, line);) numbers.push_back(std::strtod(line.c_str(), nullptr));
  return numbers;
}

}  // namespace ropescope
