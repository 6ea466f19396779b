// The login page: a form that is being sent says so, and is not sent twice.

for (const form of document.querySelectorAll("form[action$='/login']")) {
  const button = form.querySelector("button");
  // While nobody has a passphrase, the form has no fields.
  if (!button) continue;
  const label = button.textContent;
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = "Logging in …";
  });
  // Back shows the page as it was left.
  addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = label;
  });
}
