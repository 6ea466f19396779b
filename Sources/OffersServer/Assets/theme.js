// The theme that a person has chosen for this browser, in place of the system's. It runs before the page is
// painted, so that no page flashes in the other scheme: in the head, and not as a module. The choice is
// kept in this browser, and so needs no server.

(() => {
  const root = document.documentElement;

  function chosen() {
    try {
      return localStorage.getItem("theme") ?? "";
    } catch {
      // The browser keeps nothing for this page.
      return "";
    }
  }

  /** Sets the scheme, by which the style sheets choose their colors, and the color of the browser's own bar. */
  function show() {
    const theme = chosen();
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    root.style.colorScheme = theme;
    for (const color of document.querySelectorAll("meta[name=theme-color]")) {
      color.dataset.scheme ??= color.media.includes("dark") ? "dark" : "light";
      const {scheme} = color.dataset;
      color.media = theme ? (scheme === theme ? "" : "not all") : `(prefers-color-scheme: ${scheme})`;
    }
  }

  show();
  addEventListener("storage", ({key}) => {
    if (key === "theme" || key === null) show();
  });
  addEventListener("pageshow", ({persisted}) => {
    if (persisted) show();
  });
  document.addEventListener("DOMContentLoaded", () => {
    const choice = document.querySelector("[data-themes]");
    if (!choice) return;
    choice.hidden = false;
    for (const input of choice.querySelectorAll("input")) input.checked = input.value === chosen();
    choice.addEventListener("change", ({target}) => {
      if (target.value) localStorage.setItem("theme", target.value);
      else localStorage.removeItem("theme");
      show();
    });
  });
})();
