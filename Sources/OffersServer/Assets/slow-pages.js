// Pages that take long: a moving line at once, words after five seconds, an alert after fifteen. The
// page stays as it is until the next one arrives.

import {alertBox, toast} from "./messages.js?v=__VERSION__";
import {isPlainPress} from "./dialogs.js?v=__VERSION__";

const line = document.querySelector("[data-progress]");
let timers = [];
let note = null;

function stop() {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
  note?.remove();
  line.hidden = true;
}

/** Watches a page that was asked for; `again` asks for it again. */
function watch(again) {
  stop();
  timers = [
    setTimeout(() => {
      line.hidden = false;
      line.querySelector("progress").removeAttribute("value");
    }, 400),
    setTimeout(() => {
      note = toast("Still waiting for an answer …");
    }, 4900),
    setTimeout(() => {
      stop();
      alertBox("No answer yet", "The server takes longer than it should.", again);
    }, 14_900),
  ];
}

// The last listeners of all, so that others have handled the event before.
addEventListener("submit", ({defaultPrevented, target}) => {
  if (!defaultPrevented && target.method === "get") watch(() => target.requestSubmit());
});
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || !isPlainPress(event)) return;
  const isElsewhere = link.target || link.hasAttribute("download") || link.origin !== location.origin;
  const isHere = link.hash && link.pathname + link.search === location.pathname + location.search;
  if (!isElsewhere && !isHere) watch(() => location.assign(link.href));
});
addEventListener("pagehide", stop);
