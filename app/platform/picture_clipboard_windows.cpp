#include <windows.h>

#include <algorithm>

#include "app/platform/picture_clipboard.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Somebody else may have it for a moment. It wants a window of ours: without one it takes nothing.
bool open_clipboard() {
  constexpr int kTries = 10;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (::OpenClipboard(::GetActiveWindow())) return true;
    ::Sleep(10);
  }
  return false;
}

}  // namespace

// As "PNG", the name that browsers and office programs look for.
void copy_picture_to_clipboard(const std::string& png) {
  const UINT format = ::RegisterClipboardFormatW(L"PNG");
  const HGLOBAL memory = ::GlobalAlloc(GMEM_MOVEABLE, png.size());
  void* bytes = memory ? ::GlobalLock(memory) : nullptr;
  bool done = false;
  if (bytes) {
    std::copy(png.begin(), png.end(), static_cast<char*>(bytes));
    ::GlobalUnlock(memory);
    if (format && open_clipboard()) {
      done = ::EmptyClipboard() && ::SetClipboardData(format, memory);
      ::CloseClipboard();
    }
  }
  if (!done && memory) ::GlobalFree(memory);  // else it is the clipboard's
  if (!done) throw InputError("clipboard.refused", {});
}

}  // namespace ropescope
