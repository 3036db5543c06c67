// On a narrow window a formula may be wider than its line, and a table than the page: each then scrolls by
// itself, and what is cut off must not look complete: a dotted edge or a line of words says that it goes on.
// A page's height changes whenever something is typeset or unfolds, and each time all are measured.
"use strict";

(() => {
  const article = document.querySelector("article.bd-article");
  const inLine = 'mjx-container:not([display="true"])';

  // Width of what is inside the nearest box around a formula; none where a table scrolls with it. (The ledger's
  // columns have their widths, so its table doesn't.)
  function room(formula) {
    const box = formula.closest("p, li, dd, dt, td, th, figcaption, h1, h2, h3, h4, div");
    if (!box || box.closest("table:not(.ledger-table)")) return Infinity;
    const style = getComputedStyle(box);
    return box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  }

  // Formulas on lines of their own and tables of the text say in words that they go on; a formula that needs
  // the room of its number has it below. What is measured does not depend on what was said before.
  const onItsLine = 'div.math > mjx-container[display="true"]';
  const inText = "table:not(.ledger-table, .dataframe, .cell_output *)";

  function measureLines() {
    const formulas = [...article.querySelectorAll(onItsLine)].filter((f) => f.firstElementChild);
    const found = formulas.map((formula) => {
      const box = formula.parentElement, number = box.querySelector(".eqno");
      const width = formula.firstElementChild.offsetWidth;
      const beside = box.clientWidth - (number ? number.offsetWidth : 0);
      return [box, width > beside && !!number, width > box.clientWidth + 1];
    });
    const tables = [...article.querySelectorAll(inText)];
    const wide = tables.map((table) => table.scrollWidth > table.clientWidth + 1);
    for (const [box, below, on] of found) {
      box.classList.toggle("number-below", below);
      box.classList.toggle("goes-on", on);
    }
    tables.forEach((table, i) => table.classList.toggle("goes-on", wide[i]));
  }

  function measure() {
    measureLines();
    const formulas = [...article.querySelectorAll(inLine)].filter((f) => f.firstElementChild);
    const wide = formulas.map((f) => f.firstElementChild.offsetWidth > room(f));
    formulas.forEach((formula, i) => formula.classList.toggle("wide", wide[i]));
    if (formulas.length) article.classList.add("measured");
  }

  if (article) new ResizeObserver(measure).observe(article);
})();
