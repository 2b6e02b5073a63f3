"""Serves the page on this machine alone: python3 app/platform/web/serve.py FOLDER [PORT]"""

import functools
import http.server
import sys


def main():
    folder, port = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8517
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    handler.extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                              ".js": "text/javascript", ".data": "application/octet-stream"}
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


main()
