// Updates the content of the page in place, and preserves focus, selection, scrolling and input.

import {prepare} from "./offer-detail.js?v=__VERSION__";
import {enhanceBoxes} from "./search.js?v=__VERSION__";
import {pageAddress} from "./dialogs.js?v=__VERSION__";
import {fetchPage} from "./requests.js?v=__VERSION__";
import {compare} from "./stars.js?v=__VERSION__";

/** Requests the page, or the one below an open dialog, again, and replaces the content of its main element except parts in use. */
export async function renew() {
  const page = await fetchPage(pageAddress()).catch(() => null);
  if (!page) return;
  const next = document.adoptNode(page.querySelector("main"));
  const dialog = next.querySelector("[data-map-dialog]");
  dialog?.remove();
  const main = document.querySelector("main");
  const focused = main.contains(document.activeElement) ? document.activeElement : null;
  const name = focused && nameOf(focused);
  const selection = focused?.selectionEnd != null
    ? [focused.selectionStart, focused.selectionEnd, focused.selectionDirection] : null;
  keep(main, next);
  const rows = () => [...main.querySelectorAll(".chips, .rail > ul")];
  const places = rows().map((row) => row.scrollLeft);
  const opened = main.querySelector(".choice:popover-open");
  main.replaceChildren(...next.childNodes);
  // A popover that is moved is closed.
  if (opened?.isConnected) opened.showPopover();
  rows().forEach((row, index) => row.scrollTo(places[index] ?? 0, 0));
  const again = focused?.isConnected ? focused : name && find(main, name);
  again?.focus({preventScroll: true});
  if (again && again === focused && selection) again.setSelectionRange(...selection);
  enhanceBoxes(main);
  await prepare(main);
  if (dialog) (await import("./map.js?v=__VERSION__")).renewMap(dialog);
  await compare();
  document.dispatchEvent(new Event("renewed"));
}

/**
 * Moves the search box, a filter form that is open or has the focus, the section “Add a feed” while it is in use, and the
 * open forms of the settings into the new content, `next`.
 */
function keep(main, next) {
  const isAt = (part) => part.contains(document.activeElement) || part.open || part.matches(":popover-open");
  const kinds = [
    [".searchbox", () => true],
    [".choice", isAt],
    [".add-feed", (old) => isAt(old) || "inUse" in old.dataset],
  ];
  for (const [selector, isKept] of kinds) {
    const [old, fresh] = [main.querySelector(selector), next.querySelector(selector)];
    if (old && fresh && isKept(old)) fresh.replaceWith(old);
  }
  for (const old of main.querySelectorAll("details[open] > [data-change]")) {
    const fresh = next.querySelector(`[data-change="${CSS.escape(old.dataset.change)}"]`);
    fresh?.closest("details").replaceWith(old.closest("details"));
  }
}

/** The attributes by which the focused element is found in the new content. */
const marks = ["id", "data-star", "data-refresh", "data-subscribe", "href", "name", "aria-label"];

function nameOf(element) {
  const mark = marks.find((each) => element.hasAttribute(each));
  return mark ? [element.localName, mark, element.getAttribute(mark)] : null;
}

function find(main, [kind, mark, value]) {
  return main.querySelector(`${kind}[${mark}="${CSS.escape(value)}"]`);
}
