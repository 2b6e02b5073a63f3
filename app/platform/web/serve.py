"""Serves the page on this machine alone: python3 app/platform/web/serve.py FOLDER [PORT]

Files are packed by gzip, where the browser takes that, and kept by it until they change."""

import functools
import gzip
import http.server
import os
import sys

# As the page itself has it (index.html), and what only a header can say.
POLICY = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; "
          "img-src 'self' blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'")


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".js": "text/javascript", ".data": "application/octet-stream",
                      ".webmanifest": "application/manifest+json"}
    packed = {}  # by path and time of the file

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        # Asked for again each time, and sent only if it changed since (Last-Modified).
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def do_GET(self):
        path = self.translate_path(self.path)
        if os.path.isdir(path):
            path = os.path.join(path, "index.html")
        packs = path.endswith((".html", ".css", ".js", ".wasm", ".data", ".webmanifest")) and os.path.isfile(path)
        if not packs or "gzip" not in self.headers.get("Accept-Encoding", ""):
            return super().do_GET()
        stamp = os.stat(path)
        written = self.date_time_string(stamp.st_mtime)
        if self.headers.get("If-Modified-Since") == written:
            self.send_response(304)
            return self.end_headers()
        if (path, stamp.st_mtime_ns) not in self.packed:
            with open(path, "rb") as file:
                self.packed[path, stamp.st_mtime_ns] = gzip.compress(file.read(), 6)
        content = self.packed[path, stamp.st_mtime_ns]
        self.send_response(200)
        for name, value in (("Content-Type", self.guess_type(path)), ("Content-Encoding", "gzip"),
                            ("Content-Length", str(len(content))), ("Last-Modified", written), ("Vary", "Accept-Encoding")):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def main():
    folder, port = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8517
    handler = functools.partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


main()
