// In place of Pango's header, as cairo.h beside it.
#pragma once
struct PangoFontMap;
struct PangoLayout;
inline void g_object_unref(void*) {}
