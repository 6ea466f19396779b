// The button “Hide” of an offer: it takes the offer out of the lists, with an undo.

import {attempt, toast} from "./messages.js?v=__VERSION__";
import {isBusy, setBusy} from "./elements.js?v=__VERSION__";
import {send} from "./requests.js?v=__VERSION__";

document.addEventListener("submit", async (event) => {
  const {hide: ref} = event.target.dataset;
  if (ref === undefined) return;
  event.preventDefault();
  const button = event.target.querySelector("button");
  if (isBusy(button)) return;
  setBusy(button, true);
  await change(ref, event.target.elements.hide.value === "1");
  setBusy(button, false);
});

/** Hides an offer or shows it again, and offers the reverse. */
async function change(ref, isHidden) {
  // For the user of this page, and no other.
  const {user} = document.body.dataset;
  const sending = send(isHidden ? "PUT" : "DELETE", `/hidings?what=${encodeURIComponent(ref)}`, {}, {user});
  if (!await attempt(isHidden ? "The offer could not be hidden" : "The offer could not be shown again", sending)) return;
  show(ref, isHidden);
  toast(isHidden ? "Hidden. It stays out of your lists." : "It is in your lists again.",
    {label: "Undo", run: () => change(ref, !isHidden)});
}

/** Sets the buttons of an offer, and its cards in the list. */
function show(ref, isHidden) {
  const name = CSS.escape(ref);
  for (const form of document.querySelectorAll(`[data-hide="${name}"]`)) {
    form.elements.hide.value = isHidden ? "0" : "1";
    form.querySelector("button").textContent = isHidden ? "Show again" : "Hide";
  }
  for (const card of document.querySelectorAll(`main .card[data-ref="${name}"]:not(.offer-picture)`)) card.hidden = isHidden;
}
