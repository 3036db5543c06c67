// Filters the rows of the ledger. Without this script every row shows and the controls do not.
"use strict";

function filterLedger(ledger) {
  const form = ledger.querySelector(".ledger-filter");
  const rows = [...ledger.querySelectorAll("tbody tr")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  function matches(row) {
    const { paper, verdict, text } = form.elements;
    const words = text.value.toLowerCase().split(/\s+/);
    return (
      (!paper.value || row.dataset.paper === paper.value) &&
      (!verdict.value || row.dataset.verdict === verdict.value) &&
      words.every((word) => texts.get(row).includes(word))
    );
  }

  function apply() {
    rows.forEach((row) => (row.hidden = !matches(row)));
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector(".ledger-count").textContent = `${shown} of ${rows.length} claims`;
  }

  // A link to a row must find it, whatever is filtered.
  function showTarget() {
    const row = rows.find((row) => row.id === decodeURIComponent(location.hash.slice(1)));
    if (row && row.hidden) {
      form.reset();
      row.scrollIntoView();
    }
  }

  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", showTarget);
  form.hidden = false;
  apply();
}

document.querySelectorAll(".ledger").forEach(filterLedger);
