#include "app/views/shared/messages.h"

namespace ropescope {

Figure empty_figure(const std::string& name, const std::string& x, const std::string& y) {
  Figure figure;
  figure.name = name;
  figure.x.name = x;
  figure.y.name = y;
  return figure;
}

ViewResult message_result(Figure figure, const std::string& words, bool stale) {
  figure.empty_message = words;
  figure.stale = stale;
  ViewResult result;
  result.panels.push_back({std::move(figure), 1});
  result.stale = stale;
  return result;
}

ViewResult hint_result(Figure figure, const std::string& words) {
  figure.empty_is_hint = true;
  return message_result(std::move(figure), words);
}

ViewResult fault_result(Figure figure, const std::string& words, bool stale) {
  ViewResult result = message_result(std::move(figure), words, stale);
  if (!stale) result.fault = words;
  return result;
}

}  // namespace ropescope
