// Lists whose cards slide to their new places when a list changes.

import {isStill} from "./elements.js?v=__VERSION__";

const ease = "cubic-bezier(.2, .7, .2, 1)";

/** Changes the page by `update`; cards on the screen slide to their new places, and new ones appear. */
export function slide(root, update) {
  const cards = () => [...root.querySelectorAll("[data-list] > [data-ref]")].filter((card) => {
    const {top, bottom} = card.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  if (isStill()) return update();
  const places = new Map(cards().map((card) => [card.dataset.ref, card.getBoundingClientRect()]));
  update();
  if (places.size === 0) return;
  for (const card of cards()) {
    const [from, to] = [places.get(card.dataset.ref), card.getBoundingClientRect()];
    const [x, y] = from ? [from.x - to.x, from.y - to.y] : [0, 0];
    if (from && Math.abs(x) + Math.abs(y) < 2) continue;
    const start = from ? {transform: `translate(${x}px, ${y}px)`} : {opacity: 0, transform: "translateY(16px)"};
    card.animate([start, {transform: "none"}], {duration: 240, easing: ease});
  }
}
