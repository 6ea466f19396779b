// Sheets that are drawn down to close them: by a touch that begins where nothing can scroll up.

import {isStill} from "./elements.js?v=__VERSION__";

/** The way down in pixels, and the speed in pixels a millisecond, from which a sheet closes. */
const FAR = 110;
const FAST = 0.6;

/** Lets a sheet be drawn down. `scroller` is the part of it that scrolls, `close` closes it. */
export function dragDown(sheet, scroller, close) {
  let start = null;
  let last = null;
  let way = 0;
  let speed = 0;
  sheet.addEventListener("touchstart", ({touches, target}) => {
    start = null;
    if (touches.length > 1 || scroller.scrollTop > 0 || target.closest("input, select, .map")) return;
    start = last = {y: touches[0].clientY, at: performance.now()};
    way = speed = 0;
  }, {passive: true});
  sheet.addEventListener("touchmove", (event) => {
    if (!start) return;
    const {clientY: y} = event.touches[0];
    const at = performance.now();
    if (way === 0 && y - start.y < 6) {
      if (y < start.y) start = null;
      return;
    }
    event.preventDefault();
    way = Math.max(1, y - start.y);
    speed = (y - last.y) / Math.max(1, at - last.at);
    last = {y, at};
    sheet.classList.remove("is-settling");
    sheet.style.transform = `translateY(${way}px)`;
  }, {passive: false});
  const end = ({type}) => {
    if (!start || way === 0) return;
    start = null;
    sheet.classList.add("is-settling");
    if (type === "touchend" && (way > FAR || speed > FAST)) {
      // The sheet goes on from where the finger has left it.
      const left = {transform: [`translateY(${way}px)`, "translateY(100%)"]};
      sheet.animate(left, {duration: isStill() ? 0 : 180, easing: "ease-in", fill: "forwards"}).finished.then((motion) => {
        close();
        motion.cancel();
        sheet.style.transform = "";
      });
    } else {
      sheet.style.transform = "";
    }
    way = 0;
  };
  sheet.addEventListener("touchend", end);
  sheet.addEventListener("touchcancel", end);
}
