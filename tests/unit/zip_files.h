#pragma once

#include <zip.h>

#include "tests/temporary_folder.h"
#include "tests/test.h"

namespace ropescope {

/// A zip of these files; `password` encrypts the first of them.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files,
                          const char* password = nullptr) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "made.npz").string();
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  for (const auto& [name, content] : files) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    EXPECT_GE(zip_file_add(archive, name.c_str(), source, 0), 0);
  }
  if (password) {
    EXPECT_EQ(zip_file_set_encryption(archive, 0, ZIP_EM_AES_256, password), 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace ropescope
