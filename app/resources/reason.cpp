#include "app/resources/reason.h"

#include <cerrno>

namespace ropescope {

Words reason(int error) {
  switch (error) {
    case ENOENT:
      return Words("reason.missing");
    case EACCES:
      return Words("reason.not_allowed");
    case EPERM:
      return Words("reason.not_permitted");
    case EROFS:
      return Words("reason.read_only");
    case ENOSPC:
      return Words("reason.no_space");
#ifdef EDQUOT  // Windows says that the disk is full
    case EDQUOT:
      return Words("reason.quota");
#endif
    case EFBIG:
      return Words("reason.too_large");
    case EISDIR:
      return Words("reason.is_folder");
    case ENOTDIR:
      return Words("reason.no_folder");
    case ELOOP:
      return Words("reason.too_many_links");
    case ENAMETOOLONG:
      return Words("reason.long_name");
    case EMFILE:
      return Words("reason.too_many_open");
    case ENFILE:
      return Words("reason.too_many_in_system");
    case ETXTBSY:
      return Words("reason.running");
    case EBUSY:
      return Words("reason.busy");
    case EIO:
      return Words("reason.input_output");
    case EPIPE:
      return Words("reason.pipe");
    case EBADF:
      return Words("reason.closed");
    case ENOMEM:
      return Words("reason.memory");
    case ENXIO:
      return Words("reason.no_device");
    case ENODEV:
      return Words("reason.not_of_device");
    case EINVAL:
      return Words("reason.invalid");
    default:
      return Words("reason.other", {{"number", error}});
  }
}

}  // namespace ropescope
