// Implementation of system.h for Windows.

#include <windows.h>
// After windows.h, in this order.
#include <io.h>
#include <shellapi.h>
#include <shlobj.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "app/resources/system.h"

namespace ropescope::os {

namespace {

HANDLE handle_of(const File& file) {
  return reinterpret_cast<HANDLE>(file.handle());
}

/// Returns the <cerrno> number nearest to a Windows error.
int error_of(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_USER_MAPPED_FILE:
      return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return EBUSY;
    case ERROR_WRITE_PROTECT:
      return EROFS;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_NO_DATA:
    case ERROR_BROKEN_PIPE:
      return EPIPE;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
      return ENOMEM;
    case ERROR_FILENAME_EXCED_RANGE:
      return ENAMETOOLONG;
    case ERROR_INVALID_HANDLE:
      return EBADF;
    case ERROR_FILE_TOO_LARGE:
      return EFBIG;
    case ERROR_CANT_RESOLVE_FILENAME:
      return ELOOP;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case ERROR_NOT_READY:
      return ENXIO;
    default:
      return EIO;
  }
}

int last_error() {
  return error_of(::GetLastError());
}

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

struct Opening {
  DWORD access = GENERIC_READ, share = kShareAll, how = OPEN_EXISTING, flags = FILE_ATTRIBUTE_NORMAL;
};

int open(const fs::path& path, const Opening& opening, File& file) {
  const HANDLE handle =
      ::CreateFileW(path.c_str(), opening.access, opening.share, nullptr, opening.how, opening.flags, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return last_error();
  file = File(reinterpret_cast<File::Handle>(handle));
  return 0;
}

int write_to(HANDLE handle, std::string_view text) {
  while (!text.empty()) {
    DWORD written = 0;
    const auto count = static_cast<DWORD>(std::min<std::size_t>(text.size(), std::size_t{1} << 20));
    if (!::WriteFile(handle, text.data(), count, &written, nullptr)) return last_error();
    text.remove_prefix(written);
  }
  return 0;
}

std::uint64_t joined(DWORD high, DWORD low) {
  return std::uint64_t{high} << 32 | low;
}

// A file may be held briefly (by a virus scanner, or while being removed): number of attempts.
constexpr int kTries = 6;
constexpr DWORD kBetweenTries = 10;  ///< milliseconds

bool is_held(int error) {
  return error == EACCES || error == EBUSY;
}

/// Renames a file over another as POSIX does, even if another process has the target open. Returns false if the system
/// or disk does not support it.
bool replace_open(const fs::path& from, const fs::path& to) {
  File file;
  if (open(from, {.access = DELETE | SYNCHRONIZE}, file)) return false;
  const std::wstring name = fs::absolute(to).wstring();
  std::vector<std::uintptr_t> room((sizeof(FILE_RENAME_INFO) + name.size() * sizeof(wchar_t)) / sizeof(std::uintptr_t) +
                                   1);
  auto* wanted = reinterpret_cast<FILE_RENAME_INFO*>(room.data());
  // FileRenameInfoEx with FILE_RENAME_FLAG_REPLACE_IF_EXISTS and FILE_RENAME_FLAG_POSIX_SEMANTICS, which not every
  // header defines; the flags replace ReplaceIfExists of older systems.
  constexpr auto kRenameEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  const DWORD flags = 0x1 | 0x2;
  std::memcpy(wanted, &flags, sizeof flags);
  wanted->FileNameLength = static_cast<DWORD>(name.size() * sizeof(wchar_t));
  std::memcpy(wanted->FileName, name.c_str(), (name.size() + 1) * sizeof(wchar_t));
  const auto bytes = static_cast<DWORD>(room.size() * sizeof(std::uintptr_t));
  return ::SetFileInformationByHandle(handle_of(file), kRenameEx, wanted, bytes) != 0;
}

bool remove_open(const File& file) {
  FILE_DISPOSITION_INFO gone{};
  gone.DeleteFile = TRUE;
  return ::SetFileInformationByHandle(handle_of(file), FileDispositionInfo, &gone, sizeof gone) != 0;
}

/// Data of the console handler, which runs in a separate thread and gets no argument. It is registered once: the
/// console holds its own lock while it calls handlers, and while one is registered.
struct LookedAfter {
  std::mutex held;  ///< held while requests are deferred
  std::atomic<bool> taken = false;
  std::mutex changing;  ///< guards the members below
  bool finished = true;
  fs::path file;
  std::string message;
};
LookedAfter& looked_after() {
  static LookedAfter one;
  return one;
}

/// Returns FALSE so that the program still ends.
BOOL WINAPI remove_and_end(DWORD /*request*/) {
  LookedAfter& one = looked_after();
  const std::scoped_lock lock(one.held, one.changing);
  if (one.finished) return FALSE;
  // It is open for writing, and shared: its name is removed at once or when the program ends.
  ::DeleteFileW(one.file.c_str());
  write_to(::GetStdHandle(STD_ERROR_HANDLE), one.message);
  return FALSE;
}

std::wstring environment(const wchar_t* variable) {
  std::wstring value(::GetEnvironmentVariableW(variable, nullptr, 0), L'\0');
  value.resize(::GetEnvironmentVariableW(variable, value.data(), static_cast<DWORD>(value.size())));
  return value;
}

fs::path known_folder(const KNOWNFOLDERID& which) {
  wchar_t* found = nullptr;
  const bool told = ::SHGetKnownFolderPath(which, 0, nullptr, &found) == S_OK;
  fs::path path = told ? fs::path(found) : fs::path();
  ::CoTaskMemFree(found);
  return path;
}

}  // namespace

int File::close() {
  const Handle handle = release();
  return handle != kNone && !::CloseHandle(reinterpret_cast<HANDLE>(handle)) ? last_error() : 0;
}

int status_of(const File& file, Status& status) {
  status = {};
  if (::GetFileType(handle_of(file)) != FILE_TYPE_DISK) return 0;  // a pipe or a device
  BY_HANDLE_FILE_INFORMATION found{};
  if (!::GetFileInformationByHandle(handle_of(file), &found)) return last_error();
  status.kind = found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? Kind::folder : Kind::regular;
  status.size = joined(found.nFileSizeHigh, found.nFileSizeLow);
  status.node = joined(found.nFileIndexHigh, found.nFileIndexLow);
  // In units of 100 ns since 1601.
  const std::uint64_t time = joined(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime);
  status.seconds = static_cast<std::int64_t>(time / 10'000'000);
  status.nanoseconds = static_cast<std::int64_t>(time % 10'000'000 * 100);
  return 0;
}

int status_of(const fs::path& path, Status& status) {
  File file;
  // A folder can be opened only with this flag; no content is read.
  if (const int error = open(path, {.access = FILE_READ_ATTRIBUTES, .flags = FILE_FLAG_BACKUP_SEMANTICS}, file)) {
    return error;
  }
  return status_of(file, status);
}

int open_to_read(const fs::path& path, File& file) {
  return open(path, {.flags = FILE_FLAG_BACKUP_SEMANTICS}, file);
}

int open_to_write(const fs::path& path, File& file) {
  return open(path, {.access = GENERIC_WRITE}, file);
}

int create_new(const fs::path& path, File& file) {
  return open(path, {.access = GENERIC_WRITE, .how = CREATE_NEW}, file);
}

int read_some(const File& file, std::span<char> into, std::size_t& count) {
  DWORD got = 0;
  const auto most = static_cast<DWORD>(std::min<std::size_t>(into.size(), std::size_t{1} << 24));
  if (!::ReadFile(handle_of(file), into.data(), most, &got, nullptr)) return last_error();
  count = got;
  return 0;
}

int write_all(const File& file, std::string_view text) {
  return write_to(handle_of(file), text);
}

int write_to_standard_output(std::string_view text) {
  return write_to(::GetStdHandle(STD_OUTPUT_HANDLE), text);
}

/// Permissions come from the folder here.
int take_mode(const File& /*file*/, const Status& /*from*/) {
  return 0;
}

int flush(const File& file) {
  return ::FlushFileBuffers(handle_of(file)) ? 0 : last_error();
}

int replace(const fs::path& from, const fs::path& to) {
  if (replace_open(from, to)) return 0;
  const DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  int error = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (::MoveFileExW(from.c_str(), to.c_str(), how)) return 0;
    error = last_error();
    if (!is_held(error)) break;
    ::Sleep(kBetweenTries);
  }
  return error;
}

int remove(const fs::path& path) {
  return ::DeleteFileW(path.c_str()) ? 0 : last_error();
}

int may_write(const fs::path& path) {
  File file;
  return open(path, {.access = GENERIC_WRITE}, file);
}

/// A mapped file cannot be truncated. A disk or a server that disconnects meanwhile ends the program.
struct MappedBytes::State {
  void* begin = nullptr;
};

MappedBytes::MappedBytes() : state_(std::make_unique<State>()) {}

MappedBytes::~MappedBytes() {
  if (state_->begin) ::UnmapViewOfFile(state_->begin);
}

int MappedBytes::map(const File& file, std::size_t size) {
  const HANDLE mapping = ::CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (!mapping) return last_error();
  state_->begin = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
  const int error = state_->begin ? 0 : last_error();
  ::CloseHandle(mapping);  // the view keeps it alive
  if (!error) bytes_ = {static_cast<const std::byte*>(state_->begin), size};
  return error;
}

bool MappedBytes::was_cut() const {
  return false;
}

// Opened without sharing, a file is locked from the moment that it has its name.

int create_locked(const fs::path& path, File& file) {
  return open(path, {.access = GENERIC_WRITE | DELETE, .share = 0, .how = CREATE_ALWAYS}, file);
}

int open_locked(const fs::path& path, File& file) {
  int error = 0;
  // A file being removed is inaccessible for a moment.
  for (int attempt = 0; attempt < kTries; ++attempt) {
    error = open(path, {.access = GENERIC_WRITE | DELETE, .share = 0, .how = OPEN_ALWAYS}, file);
    if (error != EACCES) break;
    ::Sleep(kBetweenTries);
  }
  return error;
}

bool remove_unlocked(const fs::path& path) {
  File file;
  const DWORD the_link_itself = FILE_FLAG_OPEN_REPARSE_POINT;
  return open(path, {.access = DELETE, .share = 0, .flags = the_link_itself}, file) == 0 && remove_open(file);
}

void remove_locked(const fs::path& /*path*/, File& file) {
  remove_open(file);
  file.close();
}

int process_id() {
  return static_cast<int>(::GetCurrentProcessId());
}

bool is_gone(int process) {
  const HANDLE handle = ::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process));
  if (!handle) return ::GetLastError() == ERROR_INVALID_PARAMETER;
  const bool ended = ::WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
  ::CloseHandle(handle);
  return ended;
}

void prepare_program() {
  static const bool prepared = [] {
    ::SetConsoleOutputCP(CP_UTF8);
    constexpr int kBinary = 0x8000;          // _O_BINARY from a header that POSIX has too
    ::_setmode(::_fileno(stdout), kBinary);  // the system's own calls write like this
    return ::SetConsoleCtrlHandler(remove_and_end, TRUE) != 0;
  }();
  static_cast<void>(prepared);
}

bool remove_at_end(const fs::path& file, const std::string& message) {
  LookedAfter& one = looked_after();
  if (one.taken.exchange(true)) return false;
  const std::scoped_lock lock(one.changing);
  one.finished = false;
  one.file = file;
  one.message = message;
  return true;
}

void keep_at_end() {
  const std::scoped_lock lock(looked_after().changing);
  looked_after().finished = true;
}

void remove_now() {
  LookedAfter& one = looked_after();
  const std::scoped_lock lock(one.changing);
  if (!one.finished) ::DeleteFileW(one.file.c_str());
}

void forget_at_end() {
  keep_at_end();
  looked_after().taken = false;
}

struct HeldRequests::State {
  std::unique_lock<std::mutex> lock;
};

HeldRequests::HeldRequests() : state_(std::make_unique<State>()) {
  state_->lock = std::unique_lock(looked_after().held);
}

HeldRequests::~HeldRequests() = default;

fs::path environment_path(const char* variable) {
  return environment(fs::path(variable).c_str());
}

fs::path home_folder() {
  return known_folder(FOLDERID_Profile);
}

fs::path state_folder() {
  fs::path folder = known_folder(FOLDERID_LocalAppData);
  return folder.empty() ? fs::temp_directory_path() : folder;
}

fs::path executable() {
  std::wstring path(32768, L'\0');  // the maximum length
  path.resize(::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

std::vector<std::string> command_words(int argc, const char* const* argv) {
  int count = 0;
  wchar_t** wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (!wide) return {argv, argv + argc};
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) {
    // The length -1 means the whole string including its end.
    const int size = ::WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, nullptr, 0, nullptr, nullptr);
    std::string word(static_cast<std::size_t>(std::max(size, 1)), '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, word.data(), size, nullptr, nullptr);
    word.pop_back();
    words.push_back(std::move(word));
  }
  ::LocalFree(wide);
  return words;
}

bool errors_go_to_terminal() {
  // A terminal that cannot erase a line counts as none.
  const HANDLE errors = ::GetStdHandle(STD_ERROR_HANDLE);
  DWORD mode = 0;
  return ::GetConsoleMode(errors, &mode) && ::SetConsoleMode(errors, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool output_goes_to_terminal() {
  DWORD mode = 0;
  return ::GetConsoleMode(::GetStdHandle(STD_OUTPUT_HANDLE), &mode) != 0;
}

std::optional<double> free_memory() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  if (!::GlobalMemoryStatusEx(&memory)) return std::nullopt;
  return static_cast<double>(memory.ullAvailPhys);
}

/// Does nothing: Windows heaps do this automatically.
void give_back_memory() {}

bool has_few_addresses() {
  return false;
}

std::tm local_time(std::time_t moment) {
  std::tm parts{};
  ::localtime_s(&parts, &moment);
  return parts;
}

}  // namespace ropescope::os
