// Keeps the files of the page for when there is no network. What the network has is always newer, and is preferred.

const STORE = "fehu-playground";

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const answer = async () => {
    const store = await caches.open(STORE);
    try {
      const response = await fetch(request);
      if (response.ok) store.put(request, response.clone());
      return response;
    } catch (error) {
      const kept = await store.match(request, { ignoreSearch: true });
      if (kept) return kept;
      throw error;
    }
  };
  event.respondWith(answer());
});
