#pragma once

#include <imgui.h>

#include <memory>

#include "app/gpu/gpu.h"
#include "app/platform/window.h"
#include "app/ui/app.h"

namespace ropescope {

/// The lecturer's window while a lesson is shown to a room, opened and closed as the app wants it.
class LecturerWindow {
 public:
  LecturerWindow(ui::App& app, Window& first, Gpu& gpu) : app_(app), first_(first), gpu_(gpu) {}
  ~LecturerWindow();
  LecturerWindow(const LecturerWindow&) = delete;
  LecturerWindow& operator=(const LecturerWindow&) = delete;

  /// Once a frame of the first window, after that was drawn.
  void draw();
  /// Its keys act on the lesson; true: one did.
  bool react();

 private:
  void close();

  ui::App& app_;
  Window& first_;
  Gpu& gpu_;
  std::unique_ptr<SecondWindow> window_;
  ImGuiContext* context_ = nullptr;
  bool in_room_ = false;
};

}  // namespace ropescope
