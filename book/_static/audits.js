// A link to something in a folded box opens the box, and printing opens all.
"use strict";

(() => {
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const box = target && target.closest("details.audit-box");
    if (!box) return;
    box.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  addEventListener("load", reveal);
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details.audit-box").forEach((box) => (box.open = true));
  });
})();
