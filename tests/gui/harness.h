#pragma once

#include "app/gpu/gpu.h"
#include "app/ui/drawing/font_files.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/widgets.h"
#include "tests/test.h"

namespace ropescope::ui {

/// Frames of all windows of this process. Printed at its end: `./test` reports which entries draw the most.
inline int drawn_frames = 0;

class FrameReport : public testing::Environment {
 public:
  void TearDown() override { std::printf("[  FRAMES  ] %d drawn\n", drawn_frames); }
};
inline testing::Environment* const frame_report = testing::AddGlobalTestEnvironment(new FrameReport);

/// A window without a window: ImGui without display or graphics card, driven as a person would drive it. What is drawn
/// is the caller's: `draw` is called once a frame between NewFrame and Render, and finds widgets by the keys in
/// `record`.
///
///   Harness gui;
///   gui.draw = [&] { draw_app(app, gui.width, gui.height); };
///   gui.record = &app.record;
///   gui.frames();
///   gui.play("click decay.base.value; type 1e6; press enter");
class Harness {
 public:
  static constexpr float kWidth = 1280, kHeight = 720;

  explicit Harness(float width_in = kWidth, float height_in = kHeight)
      : width(width_in), height(height_in), imgui_(width_in, height_in), gpu_(make_null_gpu(&maps)) {
    gpu_->reload_fonts();
    steps["click"] = [this](const std::string& key) { click(key); };
    steps["right_click"] = [this](const std::string& key) { click(key, 1); };
    steps["double_click"] = [this](const std::string& key) { double_click(key); };
    steps["hover"] = [this](const std::string& key) { hover(key); };
    steps["type"] = [this](const std::string& text) { type(text); };
    steps["press"] = [this](const std::string& keys) { press_named(keys); };
    steps["frames"] = [this](const std::string& count) { count.empty() ? frames() : frames(std::stoi(count)); };
    steps["wait"] = [this](const std::string& seconds) { wait(std::stod(seconds)); };
  }

  std::function<void()> draw;
  /// What play() knows, by its first word; called with the words after it.
  std::map<std::string, std::function<void(const std::string&)>> steps;
  const WidgetRecord* record = nullptr;
  float width, height;
  std::vector<MapWindow> maps;  ///< drawn in the last frame

  /// For Ui::gpu.
  Gpu* gpu() const { return gpu_.get(); }

  /// Call after fonts were built.
  void upload_fonts() { gpu_->reload_fonts(); }

  /// Runs frames: one settles a click, a few a popup or a changed layout.
  void frames(int count = 3, double seconds_each = 1.0 / 60) {
    for (int i = 0; i < count; ++i) {
      ImGui::GetIO().DisplaySize = {width, height};
      ImGui::GetIO().DeltaTime = static_cast<float>(seconds_each);
      gpu_->begin_frame();
      ImGui::NewFrame();
      if (draw) draw();
      ImGui::Render();
      gpu_->draw(ImGui::GetDrawData(), {}, static_cast<int>(width), static_cast<int>(height));
      ++drawn_frames;
    }
  }
  /// A hash of what the last frame drew. Map contents are not included.
  std::size_t drawn() const {
    std::size_t all = 0;
    const ImDrawData* data = ImGui::GetDrawData();
    const auto add = [&all](const auto& buffer) {
      const std::string_view bytes(reinterpret_cast<const char*>(buffer.Data),
                                   static_cast<std::size_t>(buffer.size_in_bytes()));
      all = 31 * all + std::hash<std::string_view>()(bytes);
    };
    for (int i = 0; data && i < data->CmdListsCount; ++i) {
      add(data->CmdLists[i]->VtxBuffer);
      add(data->CmdLists[i]->IdxBuffer);
    }
    return all;
  }
  /// Lets time pass, for what waits: tooltips, typed text that was refused. In few frames: a slow machine's.
  void wait(double seconds) {
    constexpr int kFrames = 4;
    frames(kFrames, 1.01 * seconds / kFrames);
  }

  bool shows(std::string_view key) const { return record && record->find(key); }
  /// Where a widget was drawn last; a missing one fails the test with its key.
  Rect rect(std::string_view key) const {
    const Rect* found = record ? record->find(key) : nullptr;
    if (!found) throw std::runtime_error("no widget \"" + std::string(key) + "\" was drawn");
    return *found;
  }
  Vec2 centre(std::string_view key) const {
    const Rect r = rect(key);
    return {r.left + r.width / 2, r.top + r.height / 2};
  }

  void move(Vec2 to) {
    send_mouse_position(static_cast<float>(to.x), static_cast<float>(to.y));
    frames(1);
  }
  void hover(std::string_view key) { move(centre(key)); }
  void button(int which, bool down) {
    send_mouse_button(which, down);
    frames(1);
  }
  void click_at(Vec2 at, int which = 0) {
    separate_clicks();
    move(at);
    button(which, true);
    button(which, false);
    frames(2);
  }
  void click(std::string_view key, int which = 0) { click_at(centre(key), which); }
  void double_click_at(Vec2 at) {
    separate_clicks();
    move(at);
    for (int i = 0; i < 2; ++i) {
      button(0, true);
      button(0, false);
    }
    frames(2);
  }
  void double_click(std::string_view key) { double_click_at(centre(key)); }
  /// With the button held from one place to another in small steps.
  void drag_from(Vec2 from, Vec2 to, int which = 0) {
    separate_clicks();
    move(from);
    button(which, true);
    constexpr int kSteps = 8;
    for (int i = 1; i <= kSteps; ++i) {
      const double share = static_cast<double>(i) / kSteps;
      move({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
    }
    button(which, false);
    frames(2);
  }
  /// A slider is taken by its handle.
  void drag(const std::string& key, double dx, double dy = 0) {
    const Vec2 from = centre(shows(key + ".handle") ? key + ".handle" : key);
    drag_from(from, {from.x + dx, from.y + dy});
  }
  void wheel(std::string_view key, double notches) {
    hover(key);
    send_mouse_wheel(static_cast<float>(notches));
    frames(2);
  }

  void type(const char* text) {
    send_text(text);
    frames(2);
  }
  void type(const std::string& text) { type(text.c_str()); }
  void press(Key key, bool control = false, bool shift = false) {
    send_modifiers(control, shift, false);
    send_key(key, true);
    frames(1);
    send_key(key, false);
    send_modifiers(false, false, false);
    frames(3);
  }
  /// Takes steps one after the other: "click lessons; press ctrl+shift+z; type 1e6; frames 2". An unknown one fails.
  void play(const std::string& script) {
    for (std::size_t begin = 0; begin < script.size();) {
      const std::size_t end = std::min(script.find("; ", begin), script.size());
      const std::string step = script.substr(begin, end - begin);
      const std::size_t blank = std::min(step.find(' '), step.size());
      const auto known = steps.find(step.substr(0, blank));
      if (known == steps.end()) throw std::runtime_error("no step \"" + step + "\" is known, of: " + script);
      known->second(step.substr(std::min(blank + 1, step.size())));
      begin = end + 2;
    }
  }

 private:
  /// "ctrl+shift+z", "page_down"
  void press_named(const std::string& keys) {
    static const std::map<std::string, Key> names = {
        {"backspace", Key::backspace},
        {"del", Key::del},
        {"down", Key::down},
        {"enter", Key::enter},
        {"equal", Key::equal},
        {"escape", Key::escape},
        {"f1", Key::f1},
        {"f5", Key::f5},
        {"home", Key::home},
        {"left", Key::left},
        {"page_down", Key::page_down},
        {"page_up", Key::page_up},
        {"right", Key::right},
        {"right_bracket", Key::right_bracket},
        {"space", Key::space},
        {"tab", Key::tab},
        {"up", Key::up},
    };
    const std::string name = keys.substr(keys.rfind('+') + 1);
    // Letters and digits are their upper-case codes.
    if (name.size() != 1 && !names.contains(name)) throw std::runtime_error("no key \"" + keys + "\" is known");
    const Key key = name.size() == 1 ? static_cast<Key>(std::toupper(name[0])) : names.at(name);
    press(key, keys.find("ctrl+") != std::string::npos, keys.find("shift+") != std::string::npos);
  }
  /// Long enough that two clicks are not taken for a double click.
  void separate_clicks() { frames(1, 0.5); }

  HeadlessImGui imgui_;
  std::unique_ptr<Gpu> gpu_;
};

}  // namespace ropescope::ui
