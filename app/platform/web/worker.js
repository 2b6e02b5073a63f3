// Keeps what the page was made of, so that it opens where there is no network. What was made together stays together: a
// page that was made anew has a cache of its own, and is shown the next time.

'use strict';

const name = 'ropescope-VERSION';
const files = ['./', ...'FILES'.split(',')];

self.addEventListener('install', (event) => {
  // The page has just loaded them: the host is asked whether they are still the same, and sends none of them again.
  const fresh = files.map((file) => new Request(file, {cache: 'no-cache'}));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(fresh)).then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys()
    .then((all) => Promise.all(all.filter((one) => one.startsWith('ropescope-') && one !== name).map((one) => caches.delete(one))))
    .then(() => self.clients.claim()));
});
self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(caches.open(name).then((cache) => cache.match(event.request, {ignoreSearch: true}))
    .then((kept) => kept || fetch(event.request)));
});
