// The forms of feeds in the settings: subscriptions, sources and intervals.

import {alertBox, problemIn, toast, unreachable} from "./messages.js?v=__VERSION__";
import {fail, start} from "./refresh.js?v=__VERSION__";
import {renew} from "./renew.js?v=__VERSION__";

/** Subscribes to a feed, and reads it for the first time. */
export async function subscribe(feed) {
  try {
    const response = await fetch(`/api/v1/feeds/${encodeURIComponent(feed)}/subscription`, {
      method: "PUT",
      headers: {"Content-Type": "application/json"},
      body: "{}",
    });
    if (!response.ok) return fail(await problemIn(response), [feed]);
    start([feed]);
  } catch {
    fail(unreachable, [feed]);
  }
}

/** Unsubscribes from a feed. Its offers and its source stay, so that this can be undone. */
export async function unsubscribe(feed, title) {
  try {
    if (!(await setSubscribed(feed, "DELETE"))) return;
    await renew();
    toast(`Unsubscribed from ${title}.`, {label: "Undo", run: () => resubscribe(feed, title)});
  } catch {
    alertBox("The feed was not changed", unreachable);
  }
}

async function resubscribe(feed, title) {
  try {
    if (!(await setSubscribed(feed, "PUT"))) return;
    await renew();
    toast(`${title} is subscribed again.`);
  } catch {
    alertBox("The feed was not changed", unreachable, () => resubscribe(feed, title));
  }
}

/** Changes the subscription of a feed. Shows an alert and returns false if that is refused. */
async function setSubscribed(feed, method) {
  const response = await fetch(`/api/v1/feeds/${encodeURIComponent(feed)}/subscription`, {
    method,
    headers: {"Content-Type": "application/json"},
    body: "{}",
  });
  if (!response.ok) alertBox("The feed was not changed", await problemIn(response));
  return response.ok;
}

/** Sets the source and the interval of a feed. The interval stays if the source is refused. */
export async function change(form) {
  const feed = form.dataset.change;
  const {source, every} = form.elements;
  const isUsual = every.value === "default";
  const text = source.value.trim();
  const isNew = text !== source.defaultValue;
  if (isNew && !(await start([feed], {source: text}))) return;
  try {
    const response = await fetch(`/api/v1/feeds/${encodeURIComponent(feed)}/interval`, {
      method: isUsual ? "DELETE" : "PUT",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify(isUsual ? {} : {every_seconds: Number(every.value)}),
    });
    if (!response.ok) return alertBox("The feed was not changed", await problemIn(response));
    form.closest("details").open = false;
    await renew();
    if (!isNew) toast("Saved.");
  } catch {
    alertBox("The feed was not changed", unreachable);
  }
}
