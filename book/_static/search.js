// The search page: the claims that match, by the ledger's own filter, and formulas in results as plain text.
"use strict";

(() => {
  const asked = new URLSearchParams(location.search).get("q")?.trim() || "";
  const results = document.getElementById("search-results");
  if (!asked || !results) return;
  const papers = [
    ["diprime-v1", /\bdiprime[ -]?v?1\b/i], ["diprime-v2", /\bdiprime[ -]?v?2\b/i],
    ["m-rf", /\bm-rf\b/i], ["mrf", /\bmrf\b/i], ["rdf", /\brdf\b/i],
  ];
  const found = papers.find(([, name]) => name.test(asked));
  const text = found ? asked.replace(found[1], " ").replace(/\s+/g, " ").trim() : asked;
  const query = new URLSearchParams({ ...(found && { paper: found[0] }), ...(text && { text }) });
  const link = Object.assign(document.createElement("a"), {
    href: `book/ledger.html?${query}`, textContent: `“${asked}” in the ledger of claims`,
  });
  const line = Object.assign(document.createElement("p"), { className: "ask-ledger" });
  line.append("Claims of the papers: ", link);
  results.before(line);

  const greek = { epsilon: "ε", delta: "δ", gamma: "γ", tau: "τ", kappa: "κ", lambda: "λ", sigma: "σ", rho: "ρ" };
  const plain = (tex) => tex
    .replace(/\\[()[\]]/g, "")
    .replace(/\\([a-z]+)/gi, (whole, name) => greek[name] || "")
    .replace(/[{}]/g, "");
  new MutationObserver(() => {
    for (const said of results.querySelectorAll("p.context"))
      if (/\\[a-z([]/i.test(said.textContent)) said.textContent = plain(said.textContent);
  }).observe(results, { childList: true, subtree: true });
})();
