// What stands without a space beside a formula stays on its line: brackets, marks, "-private", "%". Browsers may
// break there. So does an option, as "--jobs", whose dashes are none to break at.
"use strict";

document.querySelectorAll("span:is(.math, .tex)").forEach((formula) => {
  const [before, after] = [formula.previousSibling, formula.nextSibling];
  const opening = before instanceof Text && before.data.match(/[(\[‘“]+$/);
  const ending = after instanceof Text && after.data.match(/^[^\s—]{1,20}(?=\s|—|$)|^[.,;:!?)\]’”]+/);
  if (opening || ending) {
    const together = document.createElement("span");
    together.style.whiteSpace = "nowrap";
    formula.before(together);
    together.append(opening ? opening[0] : "", formula, ending ? ending[0] : "");
    if (opening) before.data = before.data.slice(0, -opening[0].length);
    if (ending) after.data = after.data.slice(ending[0].length);
  }
});

document.querySelectorAll("code .pre").forEach((word) => {
  if (word.textContent.startsWith("-")) word.style.whiteSpace = "nowrap";
});
