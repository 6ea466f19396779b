// The place in a list: how many offers it shows, and which of them is at the top of the screen. It is
// noted in the entry of the history, so that Back and a reload restore it although the browser has
// discarded the page.

import {loadUntil} from "./lists.js?v=__VERSION__";
import {note as noteAddress, openDialog} from "./dialogs.js?v=__VERSION__";

const cards = () => [...(document.querySelector("main [data-list]")?.children ?? [])];
const top = (card) => card.getBoundingClientRect().top;
let timer;

function note() {
  clearTimeout(timer);
  if (openDialog()) return;
  const all = cards();
  const first = all.find((card) => card.getBoundingClientRect().bottom > 64);
  if (!first) return;
  const place = {count: all.length, ref: first.dataset.ref, top: top(first)};
  noteAddress({...history.state, place});
}

function noteSoon() {
  clearTimeout(timer);
  timer = setTimeout(note, 300);
}

/** Loads as many pages as were shown, and scrolls to the same offer, unless a person scrolls before. */
async function restore({count, ref, top: wanted}) {
  // The browser would scroll at the end of loading, to where the list was while its cards had other heights.
  history.scrollRestoration = "manual";
  const control = new AbortController();
  for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"]) {
    addEventListener(kind, () => control.abort(), {passive: true, signal: control.signal});
  }
  await loadUntil(count);
  // Cards take their real heights once they are drawn, which moves those below them.
  for (let calm = 0, round = 0; calm < 5 && round < 60 && !control.signal.aborted; round += 1) {
    const card = cards().find((each) => each.dataset.ref === ref);
    if (!card) break;
    const way = top(card) - wanted;
    calm = Math.abs(way) <= 1 ? calm + 1 : 0;
    if (calm === 0) scrollBy({top: way, behavior: "instant"});
    await new Promise(requestAnimationFrame);
  }
  control.abort();
  addEventListener("scroll", noteSoon, {passive: true});
}

document.addEventListener("click", ({target}) => {
  if (target.closest?.("a[href]")) note();
}, {capture: true});

if (history.state?.place) restore(history.state.place);
else addEventListener("scroll", noteSoon, {passive: true});
