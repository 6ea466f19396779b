// The forms of feeds in the settings: subscriptions, sources and intervals.

import {alertBox, problemIn, toast, unreachable} from "./messages.js?v=__VERSION__";
import {fail, start} from "./feed-refresh.js?v=__VERSION__";
import {send} from "./requests.js?v=__VERSION__";
import {renew} from "./page-update.js?v=__VERSION__";

const path = (feed, part) => `/feeds/${encodeURIComponent(feed)}/${part}`;

/** Subscribes to a feed, and reads it for the first time. */
export async function subscribe(feed) {
  try {
    const response = await send("PUT", path(feed, "subscription"));
    if (!response.ok) return fail(await problemIn(response), [feed]);
    start([feed]);
  } catch {
    fail(unreachable, [feed]);
  }
}

/** Unsubscribes from a feed. Its offers and its source stay, so that this can be undone. */
export const unsubscribe = (feed, title) =>
  setSubscribed(feed, "DELETE", () =>
    toast(`Unsubscribed from ${title}.`, {label: "Undo", run: () => resubscribe(feed, title)}));

const resubscribe = (feed, title) => setSubscribed(feed, "PUT", () => toast(`${title} is subscribed again.`));

/** Changes the subscription of a feed, and shows what has become of it. */
async function setSubscribed(feed, method, tell) {
  const again = () => setSubscribed(feed, method, tell);
  try {
    const response = await send(method, path(feed, "subscription"));
    if (!response.ok) return alertBox(failed, await problemIn(response));
    await renew();
    tell();
  } catch {
    alertBox(failed, unreachable, again);
  }
}

const failed = "The feed was not changed";

/** Sets the source and the interval of a feed. The interval stays if the source is refused. */
export async function change(form) {
  const feed = form.dataset.change;
  const {source, every} = form.elements;
  const isUsual = every.value === "default";
  const text = source.value.trim();
  const isNew = text !== source.defaultValue;
  if (isNew && !(await start([feed], {source: text}))) return;
  try {
    const response = await send(
      isUsual ? "DELETE" : "PUT", path(feed, "interval"), isUsual ? {} : {every_seconds: Number(every.value)});
    if (!response.ok) return alertBox(failed, await problemIn(response));
    form.closest("details").open = false;
    await renew();
    if (!isNew) toast("Saved.");
  } catch {
    alertBox(failed, unreachable);
  }
}
