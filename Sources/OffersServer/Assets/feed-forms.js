// The forms of feeds in the settings: subscriptions, sources and intervals.

import {attempt, toast} from "./messages.js?v=__VERSION__";
import {start} from "./feed-refresh.js?v=__VERSION__";
import {send} from "./requests.js?v=__VERSION__";
import {renew} from "./page-update.js?v=__VERSION__";

const failed = "The feed was not changed";
const path = (feed, part) => `/feeds/${encodeURIComponent(feed)}/${part}`;

/** Subscribes to a feed, and reads it for the first time. */
export async function subscribe(feed) {
  if (await attempt(failed, send("PUT", path(feed, "subscription")), () => subscribe(feed))) start([feed]);
}

/** Unsubscribes from a feed. Its offers and its source stay, so that this can be undone. */
export const unsubscribe = (feed, title) =>
  setSubscribed(feed, "DELETE", `Unsubscribed from ${title}.`, {
    label: "Undo", run: () => setSubscribed(feed, "PUT", `${title} is subscribed again.`),
  });

/** Changes the subscription of a feed, and shows what has become of it. */
async function setSubscribed(feed, method, text, action) {
  const again = () => setSubscribed(feed, method, text, action);
  if (!(await attempt(failed, send(method, path(feed, "subscription")), again))) return;
  await renew();
  toast(text, action);
}

/** Sets the source and the interval of a feed. The interval stays if the source is refused. */
export async function change(form) {
  const feed = form.dataset.change;
  const {source, every} = form.elements;
  const isUsual = every.value === "default";
  const text = source.value.trim();
  const isNew = text !== source.defaultValue;
  if (isNew && !(await start([feed], {source: text}))) return;
  const body = isUsual ? {} : {every_seconds: Number(every.value)};
  if (!(await attempt(failed, send(isUsual ? "DELETE" : "PUT", path(feed, "interval"), body)))) return;
  form.closest("details").open = false;
  await renew();
  if (!isNew) toast("Saved.");
}
