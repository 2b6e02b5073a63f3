// Keeps what the page was made of, so that it opens where there is no network: what the network has comes first.

'use strict';

const name = 'ropescope';
const files = ['./', 'index.html', 'page.js', 'ropescope.js', 'ropescope.wasm', 'ropescope.data'];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(name);
    try {
      const answer = await fetch(event.request);
      if (answer.ok) await cache.put(event.request, answer.clone());
      return answer;
    } catch (error) {
      const kept = await cache.match(event.request, {ignoreSearch: true});
      if (kept) return kept;
      throw error;
    }
  })());
});
