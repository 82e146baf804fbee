// Keys go to the program as soon as it is there, and again when the window is looked at again.
"use strict";
window.addEventListener("load", () => {
  const takeKeys = () => document.querySelector(".xterm-helper-textarea")?.focus();
  new MutationObserver(takeKeys).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  window.addEventListener("focus", takeKeys);
});
