// The household list: its page follows what other users share, and the buttons that share an offer, or
// take it off the list, work without leaving the page.

import {attempt, toast} from "./messages.js?v=__VERSION__";
import {on} from "./server-events.js?v=__VERSION__";
import {isBusy, setBusy} from "./elements.js?v=__VERSION__";
import {pageAddress} from "./dialogs.js?v=__VERSION__";
import {fetchPage, inTurn, send} from "./requests.js?v=__VERSION__";
import {renew} from "./page-update.js?v=__VERSION__";
import {compare} from "./stars.js?v=__VERSION__";
import {addressOf, pathOf} from "./base-path.js?v=__VERSION__";

document.addEventListener("submit", (event) => {
  const {sharing: ref} = event.target.dataset;
  if (ref === undefined) return;
  event.preventDefault();
  change(ref, event.target);
});

/** Sends the form of an offer, and shows what has become of the offer. */
async function change(ref, form) {
  const button = form.querySelector("button");
  if (isBusy(button)) return;
  setBusy(button, true);
  const shares = form.elements.share.value === "1";
  // For the user of this page, and no other.
  const {user} = document.body.dataset;
  const sending = send(shares ? "PUT" : "DELETE", pathOf(new URL(form.action).pathname), {}, {user});
  if (await attempt("The household list could not be changed", sending)) {
    toast(shares ? "The household sees it now." : "It is off the list. Favorites stay.");
    await follow();
    // Sharing an offer stars it, too.
    await compare();
  }
  setBusy(button, false);
}

/** Shows the list, or the sharing of the offer, as it is on the server. */
const follow = inTurn(async () => {
  const section = document.querySelector("[data-household]");
  if (section) await renewSection(section);
  if (document.querySelector("[data-household-list]")) await renewList();
});

/** Replaces the section of an offer, on its page or in its sheet. */
async function renewSection(section) {
  const address = addressOf(section.querySelector("form").elements.back.value);
  // The server does not answer: the section stays, and the next event asks again.
  const page = await fetchPage(address).catch(() => null);
  const fresh = page?.querySelector("[data-household]");
  if (!fresh || !section.isConnected || fresh.dataset.household !== section.dataset.household) return;
  if (textOf(fresh) === textOf(section)) return;
  const hadFocus = section.contains(document.activeElement);
  section.replaceWith(document.adoptNode(fresh));
  if (hadFocus) fresh.querySelector("button")?.focus({preventScroll: true});
}

const textOf = (part) => part.textContent.replace(/\s+/g, " ").trim();

/** The offers of a list with their sharers. */
const offersOf = (page) => [...page.querySelectorAll("[data-household-list] > *")]
  .map((card) => `${card.dataset.ref} ${textOf(card.querySelector(".sharers"))}`);

/** Replaces the list if it has changed. One of which a person reads further pages stays. */
async function renewList() {
  const page = await fetchPage(pageAddress()).catch(() => null);
  if (!page?.querySelector("[data-household-list]")) return;
  const [fresh, shown] = [offersOf(page), offersOf(document)];
  if (shown.length > fresh.length && scrollY > 200 && page.querySelector("[data-more]")) return;
  if (fresh.join("\n") !== shown.join("\n")) await renew();
}

on("changed", follow);
