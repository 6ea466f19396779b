// The button “Share”: the share sheet of the device, or else a copy of the link.

import {alertBox, toast} from "./messages.js?v=__VERSION__";

/** Shows the buttons for sharing below `root`. */
export function showSharing(root) {
  if (!navigator.share && !navigator.clipboard) return;
  for (const button of root.querySelectorAll("[data-share]")) button.hidden = false;
}

document.addEventListener("click", async ({target}) => {
  const button = target.closest?.("[data-share]");
  if (!button) return;
  const {share: url, shareTitle: title, shareText: text} = button.dataset;
  try {
    if (navigator.share) {
      await navigator.share({title, url, text: [title, text].filter(Boolean).join("\n")});
    } else {
      await navigator.clipboard.writeText(url);
      toast("The link is copied.");
    }
  } catch (error) {
    // The person has closed the share sheet.
    if (error.name === "AbortError") return;
    alertBox("The link could not be shared", url);
  }
});

showSharing(document);
