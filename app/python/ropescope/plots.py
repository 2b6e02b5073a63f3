"""Figures on matplotlib axes, for Rope.plot(), Figure.plot() and CheckReport.plot(); a slider for notebooks. matplotlib and
ipywidgets are imported only when they are used."""
import json

import ropescope


def _new_axes(ax):
    if ax is not None:
        if not hasattr(ax, "imshow"):
            raise TypeError("ax must be matplotlib axes or None, not %s; a view is view=" % type(ax).__name__)
        return ax
    from matplotlib import pyplot
    return pyplot.subplots()[1]


def _choose(panels):
    """Returns the first panel with something that axes can show."""
    for panel in panels:
        if panel["lines"] or panel["points"] or panel["maps"]:
            return panel
    raise ropescope.InputError("this figure has no curves, points or maps; use save()")


def _draw_map(ax, data):
    from matplotlib import colors
    shown = ax.imshow(data["values"], extent=data["extent"], origin="lower", aspect="auto", interpolation="nearest",
                      cmap=colors.ListedColormap(data["colors"]), vmin=data["range"][0], vmax=data["range"][1])
    if data["bar"]:
        ax.figure.colorbar(shown, ax=ax, label=data["label"])


def _set_axis(ax, which, data, empty):
    """Sets label, scale and limits of empty axes, and widens limits that an earlier panel has set. The user's own stay."""
    low, high = data["range"]
    limits = getattr(ax, "get_%slim" % which)()
    ours = vars(ax).setdefault("_ropescope_limits", {})
    if empty:
        getattr(ax, "set_%slabel" % which)(data["label"])
        getattr(ax, "set_%sscale" % which)(data["scale"])
        if not getattr(ax, "get_autoscale%s_on" % which)():
            return
    elif ours.get(which) != limits:
        return
    else:
        ends = min(*limits, low, high), max(*limits, low, high)
        low, high = ends if limits[0] <= limits[1] else ends[::-1]
    if low != high:
        getattr(ax, "set_%slim" % which)(low, high)
        ours[which] = getattr(ax, "get_%slim" % which)()


class _Colors:
    """The colours of a panel on axes: its own if they were empty, else the next ones of the axes' cycle."""

    def __init__(self, ax, empty):
        self.ax, self.empty, self.chosen = ax, empty, {}

    def of(self, color):
        if color not in self.chosen:
            # Takes the next colour of the cycle, which lines with an explicit colour do not advance.
            following, = self.ax.plot([], [], scalex=False, scaley=False)
            self.chosen[color] = color if self.empty else following.get_color()
            following.remove()
        return self.chosen[color]


def draw_panel(panel, ax):
    """Draws the data of a panel on axes, which may show something else already."""
    empty = not ax.has_data()
    colors = _Colors(ax, empty)
    right = ax.twinx() if panel["right"] else None
    # Limits first: those that are ours are recognised before curves are added.
    _set_axis(ax, "x", panel["x"], empty)
    _set_axis(ax, "y", panel["y"], empty)
    for data in panel["maps"]:
        _draw_map(ax, data)
    for line in panel["lines"]:
        style = (0, line["dashes"]) if line["dashes"] else "solid"
        (right if line["right"] and right else ax).plot(
            line["x"], line["y"], color=colors.of(line["color"]), linestyle=style, linewidth=1.5 * line["width"],
            label=line["label"] or None)
    for points in panel["points"]:
        ax.plot(points["x"], points["y"], "o", color=colors.of(points["color"]), markersize=4,
                label=points["label"] or None)
    if right:
        _set_axis(right, "y", panel["right"], True)
    for rule in panel["rules"]:
        color = colors.chosen.get(rule["color"], rule["color"])
        (ax.axvline if rule["vertical"] else ax.axhline)(rule["at"], color=color, linewidth=0.8,
                                                          linestyle="dashed" if rule["dashed"] else "solid")
    if empty and panel["equal_axes"]:
        ax.set_aspect("equal")
    if empty and panel["title"]:
        ax.set_title(panel["title"])
    if any(line["label"] for line in (*panel["lines"], *panel["points"])):
        ax.legend()
    return ax


def plot_figure(figure, ax=None):
    panel = _choose(figure._panels())
    return draw_panel(panel, _new_axes(ax))


def plot_rope(rope, ax=None, view="decay", **keywords):
    return plot_figure(ropescope.figure(view, rope, **keywords), ax)


def plot_report(report, ax=None):
    from matplotlib import colors
    found = report.differences
    if found is None:
        raise ropescope.InputError("this report has no map of differences: it needs cos and sin, and a reference with as "
                                   "many rows")
    ax = _new_axes(ax)
    shown = ax.imshow(found, aspect="auto", interpolation="nearest", cmap="viridis",
                      norm=colors.LogNorm(vmin=1e-8, vmax=2, clip=True))
    ax.figure.colorbar(shown, ax=ax, label="largest difference in cos and sin")
    ax.set_xlabel("pair")
    ax.set_ylabel("token")
    ax.set_title(report.verdict)
    return ax


def explore(rope, view="decay", field="rope.base", low=1e3, high=1e7, **keywords):
    """Shows a figure of a rope in a notebook, with a slider for one of its numbers.

        rs.explore("llama-2-7b")
        rs.explore(rope, "decay", "decay.span", 256, 65536)

    rope, view: as in figure(). field: the full key of a number, from low to high (logarithmic if both are positive and a
    factor of 100 apart). Further keywords are those of figure(). Returns the widget; without ipywidgets the figure, after
    printing the link that opens it in the program.
    """
    figure = ropescope.figure(view, rope, **keywords)
    try:
        import ipywidgets
    except ImportError:
        print("A slider for %s needs ipywidgets. The program opens this figure: ropescope '%s'" % (field, figure.link))
        return figure
    import math
    group, _, name = field.partition(".")
    value = float(json.loads(figure.experiment).get(group, {}).get(name, low))
    logarithmic = low > 0 and high >= 100 * low
    # The slider's own number: widgets of old versions have no logarithmic slider.
    place = math.log10 if logarithmic else float
    slider = ipywidgets.FloatSlider(
        value=place(min(max(value, low), high)), min=place(low), max=place(high), step=0.01 if logarithmic else 1,
        description="log\u2081\u2080" if logarithmic else field, continuous_update=False)
    caption, shown = ipywidgets.HTML(), ipywidgets.HTML()

    def show(at):
        number = 10 ** at if logarithmic else at
        number = round(number) if value.is_integer() and number > 100 else number
        changed = ropescope.figure(view, rope, **{**keywords, "set": {**(keywords.get("set") or {}), field: number}})
        caption.value = "%s = %g" % (field, number)
        shown.value = changed._repr_mimebundle_().get("image/svg+xml") or "The figure is too large."

    slider.observe(lambda change: show(change["new"]), "value")
    show(slider.value)
    return ipywidgets.VBox([caption, slider, shown])
