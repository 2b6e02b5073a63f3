#include <imgui.h>

#include <algorithm>

#include "app/ui/shell.h"

namespace ropescope::ui {

namespace {

constexpr std::size_t kMostMessages = 4;  ///< more would push the figures away: the oldest go
constexpr double kNoticeSeconds = 8;      ///< "Saved …" goes by itself; an error waits until it is dismissed

void tidy(std::vector<Message>& messages) {
  const double now = ImGui::GetTime();
  for (Message& message : messages) {
    if (message.since < 0) message.since = now;
  }
  std::erase_if(messages, [now](const Message& m) { return now > end_of(m).value_or(now); });
  // Said again, a message stands once, as the newest.
  for (std::size_t i = messages.size(); i-- > 0;) {
    const auto is_same = [&](const Message& m) { return m.text == messages[i].text; };
    if (std::any_of(messages.begin() + static_cast<std::ptrdiff_t>(i) + 1, messages.end(), is_same)) {
      messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (messages.size() > kMostMessages) {
    messages.erase(messages.begin(), messages.end() - static_cast<std::ptrdiff_t>(kMostMessages));
  }
}

}  // namespace

std::optional<double> end_of(const Message& message) {
  if (message.is_error || message.stays || message.unfolded || message.since < 0) return std::nullopt;
  return message.since + kNoticeSeconds;
}

double draw_messages(App& app, const Rect& rect) {
  tidy(app.messages);
  double y = rect.top;
  std::optional<std::size_t> dismissed;
  for (std::size_t i = 0; i < app.messages.size(); ++i) {
    ImGui::SetCursorScreenPos({static_cast<float>(rect.left), static_cast<float>(y)});
    ImGui::PushItemWidth(static_cast<float>(rect.width));
    Message& message = app.messages[i];
    const BarPress press = message_bar(app.ui, "message." + std::to_string(i),
                                       {message.text, message.is_error, message.action, message.unfolded});
    if (press == BarPress::action) app.pending = message.opens;
    if (press == BarPress::body) message.unfolded = !message.unfolded;
    if (press == BarPress::action || press == BarPress::close) dismissed = i;
    ImGui::PopItemWidth();
    y = ImGui::GetItemRectMax().y + app.ui.px(8);
  }
  if (dismissed) app.messages.erase(app.messages.begin() + static_cast<std::ptrdiff_t>(*dismissed));
  return y - rect.top;
}

}  // namespace ropescope::ui
