// The page unpacks no zips: who asks is told so.

#include "core/formats/zip.h"

#include "core/words.h"

namespace ropescope {

void ZipMember::read(std::span<std::byte>) {}
void ZipMember::finish() {}
std::size_t ZipMember::read_some(std::span<std::byte>) {
  return 0;
}

ZipFile::ZipFile(std::span<const std::byte>, std::string, std::string_view, const ZipLimits&) {
  throw InputError("web.no_zip", {});
}
std::vector<std::string> ZipFile::names() const {
  return {};
}
ZipMember ZipFile::open(std::size_t, std::string) const {
  return {};
}

Unpacked unpack(ZipMember) {
  return {};
}

}  // namespace ropescope
