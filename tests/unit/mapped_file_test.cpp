#include "app/resources/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "app/resources/models.h"
#include "core/formats/npy.h"
#include "tests/npy_files.h"
#include "tests/temporary_folder.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

std::string make_float32_npy(std::vector<double> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  const std::vector<std::byte> bytes = write_npy({{count}, NumberFormat::float32, false, std::move(values)});
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

struct MappedFileTest : testing::Test {
  TemporaryFolder folder;
  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = (folder.path / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
};

TEST_F(MappedFileTest, HoldsTheBytesOfTheFile) {
  const std::string path = write("a", "some text");
  const auto file = map_file(path);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()), "some text");
  EXPECT_NO_THROW(file->check_unchanged());
  EXPECT_TRUE(map_file(write("empty", ""))->bytes().empty());
}

TEST_F(MappedFileTest, WhatCannotBeOpened) {
  EXPECT_REFUSED(map_file((folder.path / "none").string()), AllOf(HasSubstr("none: "), Says("error.file.missing")));
  EXPECT_REFUSED(map_file(folder.path.string()), Says("error.file.folder"));
}

TEST_F(MappedFileTest, APipeOrADeviceIsRefusedAtOnce) {
  const std::string path = (folder.path / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_REFUSED(map_file(path), AllOf(HasSubstr("pipe: "), Says("error.file.device")))
      << "nobody writes into it: to wait for that would freeze the window";
  EXPECT_REFUSED(map_file("/dev/zero"), AllOf(HasSubstr("/dev/zero: "), Says("error.file.device")));
}

TEST_F(MappedFileTest, WhatIsToBeReplacedIsLookedAtWithoutWaiting) {
  for (const char* name : {"pipe.csv", "pipe.svg", "pipe.json"}) {
    const std::string path = (folder.path / name).string();
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_FALSE(is_saved_as(path, std::string(name).substr(5)));
  }
  EXPECT_TRUE(is_saved_as(write("table.csv", "a,b\n1,2\n"), "csv"));
}

TEST_F(MappedFileTest, AFileThatIsCutShortReadsAsZerosAndIsNoticed) {
  constexpr std::size_t kBytes = 1 << 20;
  const std::string path = write("a", std::string(kBytes, 'x'));
  const auto file = map_file(path);
  EXPECT_EQ(file->bytes()[kBytes - 1], std::byte{'x'});
  ASSERT_EQ(::truncate(path.c_str(), 100), 0);
  // Without care for it this look ends the program.
  EXPECT_EQ(file->bytes()[kBytes - 1], std::byte{0});
  EXPECT_EQ(file->bytes()[kBytes / 2], std::byte{0});
  EXPECT_EQ(file->bytes()[99], std::byte{'x'});
  EXPECT_REFUSED(file->check_unchanged(), AllOf(HasSubstr(path + ": "), Says("error.file.changed")));
  // Made as long as before: what was looked at is still not what it says.
  ASSERT_EQ(::truncate(path.c_str(), kBytes), 0);
  EXPECT_THROW(file->check_unchanged(), InputError);
  // Others are not affected.
  const auto again = map_file(path);
  EXPECT_EQ(again->bytes()[0], std::byte{'x'});
  EXPECT_NO_THROW(again->check_unchanged());
}

TEST_F(MappedFileTest, AFileThatIsCutShortOnAnotherThread) {
  constexpr std::size_t kBytes = 1 << 18;
  const std::string path = write("a", std::string(kBytes, 'x'));
  const auto file = map_file(path);
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  std::byte seen{1};
  std::jthread([&] { seen = file->bytes()[kBytes - 1]; }).join();
  EXPECT_EQ(seen, std::byte{0});
  EXPECT_THROW(file->check_unchanged(), InputError);
}

TEST_F(MappedFileTest, AFileThatGrowsIsNoticedAndOneThatIsReplacedStays) {
  const std::string path = write("a", "before");
  const auto file = map_file(path);
  fs::rename(write("b", "after it all"), path);
  EXPECT_EQ(file->bytes()[0], std::byte{'b'});
  EXPECT_NO_THROW(file->check_unchanged());
  const auto grown = map_file(path);
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_THROW(grown->check_unchanged(), InputError);
}

TEST_F(MappedFileTest, ManyFilesAreMappedAndGivenBack) {
  const std::string path = write("a", "x");
  for (int round = 0; round < 200; ++round) EXPECT_EQ(map_file(path)->bytes()[0], std::byte{'x'});
  std::vector<std::shared_ptr<const MappedFile>> open;
  const std::string error = refusal_of([&] {
    for (int i = 0; i < 100; ++i) open.push_back(map_file(path));
  });
  EXPECT_THAT(error, Says("error.file.too_many_open"));
  open.clear();
  EXPECT_NO_THROW(map_file(path));
}

TEST_F(MappedFileTest, LoadsATensorByFileOrFileAndName) {
  const std::string path = write("a.npy", make_float32_npy({1, 2}));
  LoadedTensor loaded = load_tensor(path);
  EXPECT_EQ(loaded.tensor.name, path);
  loaded.file.reset();  // the tensor keeps the file alive
  EXPECT_THAT(numbers_of(loaded.tensor), ElementsAre(1, 2));

  const std::string header =
      "{\"x:y\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]},"
      "\"z\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[1,2]}}";
  const std::string several = write("b.safetensors", safetensors_file(header, "\5\6"));
  EXPECT_THAT(numbers_of(load_tensor(several + ":x:y").tensor), ElementsAre(5));
  EXPECT_THAT(numbers_of(load_tensor(several + ":z").tensor), ElementsAre(6));
  EXPECT_REFUSED(load_tensor(several), Says("error.tensor_file.several", {{"count", "2"}}));
  EXPECT_REFUSED(load_tensor(several + ":"), Says("error.tensor_file.no_name_after_colon"));
}

TEST_F(MappedFileTest, AFileWhoseNameHasAColonWins) {
  const std::string inner = write("a.npy", make_float32_npy({1}));
  EXPECT_REFUSED(load_tensor(inner + ":cos"), Says("error.tensor_file.no_names", {{"kind", ".npy"}}));
  write("a.npy:cos", make_float32_npy({7}));
  EXPECT_THAT(numbers_of(load_tensor(inner + ":cos").tensor), ElementsAre(7));
  EXPECT_REFUSED(load_tensor((folder.path / "none.npz:cos").string()),
                 AllOf(HasSubstr("none.npz: "), Says("error.file.missing")));
}

}  // namespace
}  // namespace ropescope
