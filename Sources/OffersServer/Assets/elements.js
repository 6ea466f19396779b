// Elements that scripts make.

/** Makes an element with properties, or attributes of names that are no properties, data and children. */
export function make(kind, {data, ...properties} = {}, ...children) {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  Object.assign(element.dataset, data);
  element.append(...children);
  return element;
}

/** An icon of the page's sprite, as of the buttons in a dialog. */
export function icon(name, classes = "icon") {
  const place = make("template");
  place.innerHTML = `<svg class="${classes}" aria-hidden="true"><use href="#${name}"/></svg>`;
  return place.content.firstChild;
}

/** A round button with an icon. */
export const roundButton = (name, label, classes, press, size) =>
  make("button", {type: "button", className: `round ${classes}`, "aria-label": label, onclick: press}, icon(name, size));

/** Whether the person wants no motion. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Marks a button whose work is under way, or takes the mark away. */
export function setBusy(button, isBusy) {
  if (isBusy) button.setAttribute("aria-busy", "true");
  else button.removeAttribute("aria-busy");
}

export const isBusy = (button) => button.getAttribute("aria-busy") === "true";
