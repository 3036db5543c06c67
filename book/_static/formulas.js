// On a narrow window a formula within a line may be wider than the line: it then scrolls by itself.
// A page's height changes whenever something is typeset or unfolds, and each time all are measured.
"use strict";

(() => {
  const article = document.querySelector("article.bd-article");
  const inLine = 'mjx-container:not([display="true"])';

  // Width of what is inside the nearest box around a formula; none where a table scrolls with it.
  function room(formula) {
    const box = formula.closest("p, li, dd, dt, td, th, figcaption, h1, h2, h3, h4, div");
    if (!box || box.closest("table, .ledger, .erratum")) return Infinity;
    const style = getComputedStyle(box);
    return box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  }

  function measure() {
    const formulas = [...article.querySelectorAll(inLine)].filter((f) => f.firstElementChild);
    const wide = formulas.map((f) => f.firstElementChild.offsetWidth > room(f));
    formulas.forEach((formula, i) => formula.classList.toggle("wide", wide[i]));
  }

  if (article) new ResizeObserver(measure).observe(article);
})();
