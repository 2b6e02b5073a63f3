// Stub for Pango's header, like cairo.h.
#pragma once
struct PangoFontMap;
struct PangoLayout;
inline void g_object_unref(void*) {}
