// The section “Add a feed” of the settings. The forms work without scripts; the script sends them in
// the background, and shows the section of the response in place.

import {make, setBusy} from "./elements.js?v=__VERSION__";
import {readPage} from "./requests.js?v=__VERSION__";
import {problemIn, say, toast, unreachable} from "./messages.js?v=__VERSION__";
import {followRefresh} from "./feed-refresh.js?v=__VERSION__";
import {renew} from "./page-update.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

let asking = null;
// The form with the address, while what was found there is shown instead.
let entry = null;

const find = (selector) => document.querySelector(`[data-add-feed] ${selector}`);

function showBusy(isBusy) {
  find("[data-add-progress]").hidden = !isBusy;
  for (const button of document.querySelectorAll("[data-add-feed] form button")) setBusy(button, isBusy);
}

/** Sends a form of the section, and shows the section of the response. */
async function send(form) {
  if (asking) return;
  asking = new AbortController();
  document.querySelector("[data-add-feed]").dataset.inUse = "";
  const isAdding = "add" in form.elements;
  showBusy(true);
  say(isAdding ? "Adding the feed" : "Reading the feed");
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: {Accept: "text/html"},
      body: new URLSearchParams(new FormData(form)),
      signal: asking.signal,
    });
    if (response.ok && response.redirected && isAdding) return await finish(form.elements.name.value);
    const isPage = response.headers.get("Content-Type")?.startsWith("text/html");
    if (!isPage) return fail(form, (await problemIn(response)).text);
    const page = await readPage(response);
    const next = page.querySelector("[data-add-feed]");
    if (next) show(form, document.adoptNode(next));
    else fail(form, page.querySelector("main p")?.textContent ?? `Status ${response.status}.`);
  } catch (error) {
    if (error.name !== "AbortError") return fail(form, unreachable);
    showBusy(false);
    focus(form);
  } finally {
    asking = null;
  }
}

/** Replaces the content of the section, and moves the focus to what is new. */
function show(form, next) {
  const section = document.querySelector("[data-add-feed]");
  const heading = section.querySelector("h2");
  if (next.querySelector("[data-proposal]") && !("add" in form.elements)) entry = form;
  section.replaceChildren(...(heading ? [heading] : []), ...next.childNodes);
  showBusy(false);
  (find("[aria-invalid=true]") ?? find("[data-proposal] h3"))?.focus();
}

/** Shows an error that came without a section. */
function fail(form, text) {
  showBusy(false);
  form.querySelector(".field-error")?.remove();
  form.querySelector(".quiet").before(make("p", {className: "field-error", role: "alert", textContent: text}));
  focus(form);
}

function focus(form) {
  (form.elements.namedItem("name") ?? form.elements.namedItem("source")).focus();
}

/** Shows the settings with the new feed. */
async function finish(name) {
  if (!document.body.classList.contains("page-settings-feeds")) return location.assign(addressOf("/settings/feeds"));
  delete document.querySelector("[data-add-feed]").dataset.inUse;
  document.activeElement?.blur();
  entry = null;
  await renew();
  document.querySelector(`[data-feed="${CSS.escape(name)}"] h3 a`)?.focus();
  toast("The feed is added.", {label: "Show", run: () => location.assign(addressOf(`/feeds/${encodeURIComponent(name)}`))});
  followRefresh();
}

document.addEventListener("submit", (event) => {
  if (!event.target.closest("[data-add-feed]")) return;
  event.preventDefault();
  send(event.target);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-add-cancel]")) return asking?.abort();
  if (!event.target.closest("[data-add-back]") || !entry) return;
  event.preventDefault();
  find("[data-proposal]").replaceWith(entry);
  entry.querySelector(".field-error")?.remove();
  showBusy(false);
  focus(entry);
  entry = null;
});

document.addEventListener("input", ({target}) => {
  const section = target.closest?.("[data-add-feed]");
  if (section) section.dataset.inUse = "";
});
