// The section of the settings by which this browser shows notices while no page is open.

import {alertBox, attempt, toast} from "./messages.js?v=__VERSION__";
import {isBusy, setBusy} from "./elements.js?v=__VERSION__";
import {request, send} from "./requests.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

const section = document.querySelector("[data-push]");
const state = section.querySelector("[data-push-state]");
const buttons = Object.fromEntries(
  [...section.querySelectorAll("[data-push-action]")].map((button) => [button.dataset.pushAction, button]));
// For the user of this page, and no other.
const {user} = document.body.dataset;

/** Why this browser cannot show notices; null if it can, or may be able to. */
function obstacle() {
  if (!isSecureContext) return "Browsers show notices of pages over HTTPS only, and this page came without it.";
  if (!("serviceWorker" in navigator && "PushManager" in self && "Notification" in self)) {
    return "This browser cannot show notices. On an iPhone or iPad, add this page to the Home Screen, and open it there.";
  }
  if (Notification.permission === "denied") {
    return "This browser does not let this page show notices. Allow it in the browser's settings of this site, and reload this page.";
  }
  return null;
}

const find = async () => (await navigator.serviceWorker.ready).pushManager.getSubscription();

/** Shows whether this browser is told, and the buttons for what can be done. */
async function show() {
  const reason = obstacle();
  const subscription = reason ? null : await find();
  let told = {};
  if (subscription) {
    const path = `/api/v1/push?endpoint=${encodeURIComponent(subscription.endpoint)}`;
    const answer = await request(path).catch(() => null);
    if (!answer?.ok) return tell("The server does not answer, so it is not known whether notices are shown here.", {});
    told = await answer.json();
  }
  const {channel, paused_because: pause} = told;
  const text = reason
    ?? (pause ? `Paused: ${pause}` : null)
    ?? (channel ? `What your watches and favorites have to tell is shown on this device, by your channel “${channel}”.` : null)
    ?? "What your watches and favorites have to tell can be shown on this device, also while this page is closed.";
  tell(text, {start: !reason && (!channel || pause), test: channel && !pause, stop: channel});
}

function tell(text, shown) {
  state.textContent = text;
  for (const [name, button] of Object.entries(buttons)) button.hidden = !shown[name];
}

const actions = {
  async start() {
    // The browser asks in answer to a press only.
    if (await Notification.requestPermission() !== "granted") return;
    const title = "This device could not be added";
    const worker = await navigator.serviceWorker.ready;
    let response;
    try {
      response = await self.shared.subscribe(worker, addressOf, {user});
    } catch (error) {
      return alertBox(title, {text: "The browser's push service or the server does not answer.", details: error.message});
    }
    if (await attempt(title, Promise.resolve(response))) toast("Notices are shown on this device now.");
  },
  async test() {
    const {endpoint} = await find();
    const response = await attempt("No test was sent", send("POST", "/push/test", {endpoint}, {user}));
    if (!response) return;
    const {delivered, reason} = await response.json();
    if (delivered) toast("The test is on its way.");
    else alertBox("The test was not delivered", reason);
  },
  async stop() {
    const subscription = await find();
    const {endpoint} = subscription;
    if (!(await attempt("This device could not be removed", send("DELETE", "/push", {endpoint}, {user})))) return;
    await subscription.unsubscribe();
    toast("Notices are not shown on this device any more.");
  },
};

section.addEventListener("click", async ({target}) => {
  const button = target.closest("[data-push-action]");
  if (!button || isBusy(button)) return;
  setBusy(button, true);
  try {
    await actions[button.dataset.pushAction]();
    await show();
  } finally {
    setBusy(button, false);
  }
});

show();
