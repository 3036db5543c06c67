// Light or dark, as the reader has chosen on a page with the site's switch, or as the system has it.
"use strict";

(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = "";
  try {
    chosen = localStorage.getItem("mode") || "";
  } catch {
    // A browser may keep nothing for a page that it has read from the disk.
  }
  function apply() {
    const theme = chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = theme;
  }
  dark.addEventListener("change", apply);
  apply();
})();
