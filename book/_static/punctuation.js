// Keeps the punctuation after a formula on the formula's line: browsers may break between the two.
"use strict";

document.querySelectorAll("span.math").forEach((formula) => {
  const text = formula.nextSibling;
  const mark = text instanceof Text && text.data.match(/^[.,;:!?)\]’”]+/);
  if (mark) {
    const together = document.createElement("span");
    together.style.whiteSpace = "nowrap";
    formula.before(together);
    together.append(formula, mark[0]);
    text.data = text.data.slice(mark[0].length);
  }
});
