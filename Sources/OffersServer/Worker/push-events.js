// Notices by Web Push, which are shown while no page is open.

self.addEventListener("push", (event) => event.waitUntil(showNotice(event.data)));

/** Shows a message: {id, title, text, offer, urgent}. A repeated one takes the place of the first. */
function showNotice(data) {
  let notice = {};
  try {
    notice = data.json();
  } catch {
    // Browsers end a subscription whose messages show nothing.
  }
  const {id, title = "There are notices", text = "", offer, urgent = false} = notice;
  return self.registration.showNotification(title, {
    body: text, tag: id, requireInteraction: urgent,
    icon: addressOf(`/assets/icon-192.png?v=${VERSION}`),
    data: offer ? `/offers/${self.shared.encodeRef(offer)}` : "/notices",
  });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});

/** Shows a page of this server: in the window that has it, or else in a new one. */
async function show(path) {
  const address = new URL(addressOf(path), self.location).href;
  const windows = await self.clients.matchAll({type: "window", includeUncontrolled: true});
  const shown = windows.find(({url}) => url === address);
  return shown ? shown.focus() : self.clients.openWindow(address);
}

// A browser replaces a subscription that its push service has ended.
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil((async () => {
  const user = await readUser();
  await self.shared.subscribe(self.registration, addressOf, {user, replaced: event.oldSubscription}).catch(() => {
    // The server does not answer. It pauses the channel, and the settings say so.
  });
})()));

/** The subscription of this browser; null or undefined if there is none. */
const findSubscription = async () => self.registration.pushManager?.getSubscription().catch(() => null);

/** Has the server forget this browser, before its user logs out. */
async function removeChannel() {
  const subscription = await findSubscription();
  if (!subscription) return;
  const body = JSON.stringify({endpoint: subscription.endpoint});
  await fetch(addressOf("/api/v1/push"), {method: "DELETE", headers: {"Content-Type": "application/json"}, body}).catch(() => {
    // The push service tells the server that the subscription has ended.
  });
}

/** Ends the subscription of this browser: nobody else who uses it is shown the notices of its user. */
async function unsubscribe() {
  await (await findSubscription())?.unsubscribe().catch(() => {
    // The browser has ended it.
  });
}
