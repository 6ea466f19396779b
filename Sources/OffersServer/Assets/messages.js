// Messages: toasts at the bottom of the page, modal alerts, and announcements for screen readers.

import {make} from "./elements.js?v=__VERSION__";
import {addressOf, pathOf} from "./base-path.js?v=__VERSION__";

const region = document.querySelector("[data-toasts]");
const box = document.querySelector("[data-alert]");
let timer;

/**
 * Shows a toast for some seconds, in place of the last one. `action` is an optional button:
 * {label, run}. Returns the toast's element.
 */
export function toast(text, action) {
  const note = make("div", {className: "toast"}, make("span", {dir: "auto", textContent: text}));
  if (action) {
    const press = () => {
      note.remove();
      action.run();
    };
    note.append(make("button", {type: "button", textContent: action.label, onclick: press}));
  }
  // A modal dialog covers the rest of the page.
  (document.querySelector("dialog.overlay[open]") ?? document.body).append(region);
  region.replaceChildren(note);
  clearTimeout(timer);
  timer = setTimeout(() => note.remove(), action ? 10000 : 5000);
  return note;
}

let live;

/** Announces a text to screen readers only. */
export function say(text) {
  live ??= make("p", {className: "hidden-heading", "aria-live": "polite"});
  document.body.append(live);
  live.textContent = text;
}

/**
 * Shows a modal alert. `problem` is a sentence, or {text, details} with the technical text behind
 * “Details”. With `again`, a function, its button is “Try again” and calls it.
 */
export function alertBox(title, problem, again) {
  const {text, details} = problem.text ? problem : {text: problem};
  box.querySelector("h2").textContent = title;
  box.querySelector("#alert-text").textContent = text;
  showDetails(box.querySelector("details"), details);
  const retry = box.querySelector("[data-alert-again]");
  retry.hidden = !again;
  const close = box.querySelector("[data-alert-close]");
  close.className = again ? "round alert-close" : "button primary";
  close.setAttribute("aria-label", again ? "Close" : "OK");
  retry.onclick = () => {
    box.close();
    again();
  };
  if (!box.open) box.showModal();
}

box.querySelector("[data-alert-close]").addEventListener("click", () => box.close());

/** Shows a technical text behind “Details”, or hides them without one. */
export function showDetails(part, text) {
  part.hidden = !text;
  part.open = false;
  part.querySelector("p").textContent = text ?? "";
}

/** The texts of an error response as {text, details}: a sentence for a person, and the technical message. */
export async function problemIn(response) {
  if (response.status === 401) return {text: `${loggedOut} Log in, and try this again.`};
  const status = `Status ${response.status}`;
  const problem = await response.json().catch(() => ({}));
  const rest = [problem.detail === problem.title ? null : problem.detail, problem.hint];
  return {text: problem.title ?? "This did not work.", details: rest.filter(Boolean).join(" ") || status};
}

/** Waits for the response to a change. If it failed, shows an alert with a title, and returns null. */
export async function attempt(title, changing, again) {
  const response = await changing.catch(() => null);
  if (response?.ok) return response;
  alertBox(title, response ? await problemIn(response) : unreachable, again);
  return null;
}

/** The message after the session has ended. */
export const loggedOut = "You have been logged out.";

/** The address of the login page, which leads back to this page. */
export const loginAddress = () =>
  addressOf(`/login?next=${encodeURIComponent(pathOf(location.pathname) + location.search)}`);

/** The message for a request without a response. */
export const unreachable = "The server cannot be reached. What is stored on this device can still be read.";
