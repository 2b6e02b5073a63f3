// Keeps every library loaded in the sanitized programs. Mesa unloads its drivers when a display is closed; memory that
// they still hold then belongs to no library that LeakSanitizer could name, so that no suppression matches it. Other
// libraries find this function only if the program exports it, because it is compiled with hidden symbols.
extern "C" [[gnu::visibility("default")]] int dlclose(void*) noexcept;
extern "C" int dlclose(void*) noexcept {
  return 0;
}
