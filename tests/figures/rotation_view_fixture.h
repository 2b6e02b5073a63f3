#pragma once

#include "app/views/rotation/view.h"

#include "app/resources/models.h"
#include "core/decay/analysis.h"
#include "core/rotary/rotation.h"
#include "core/rotary/spec.h"
#include "tests/figures/view_parts.h"

namespace ropescope {

class RotationView : public TestOfView<kRotationView> {
 protected:
  RotationFields& fields = experiment.rotation;

  Figure figure(const std::string& name) { return ropescope::figure(draw(), name); }
  std::string note(const std::string& name) { return readout(draw(), name).note; }
  static const Path& path(const Figure& figure, const std::string& key) { return with_key(figure.paths, key); }
  static const Arrow& arrow(const Figure& figure, const std::string& key) { return with_key(figure.arrows, key); }
  static bool says(const Figure& figure, const std::string& words) {
    for (const Label& label : figure.labels) {
      if (label.text.find(words) != std::string::npos) return true;
    }
    return false;
  }
  void set(const std::string& assignment) { assign(experiment, assignment); }
  void click(const std::string& handle) { react(FigureEvent::Kind::click, "clocks", 0, 0, handle); }
  void drag(const std::string& handle, double x, double y) { react(FigureEvent::Kind::drag, "plane", x, y, handle); }
};

/// The angle that a path around the origin sweeps from its first to its last point; points at the origin have none.
inline double swept(const Path& path) {
  double sum = 0;
  for (std::size_t i = 1; i < path.xs.size(); ++i) {
    const std::complex<double> before(path.xs[i - 1], path.ys[i - 1]), after(path.xs[i], path.ys[i]);
    if (std::abs(before) > 0 && std::abs(after) > 0) sum += std::arg(after / before);
  }
  return sum;
}

inline double last_angle(const Path& path) {
  return std::atan2(path.ys.back(), path.xs.back());
}

}  // namespace ropescope
