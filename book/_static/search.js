// The search page: a link to the claims that match, and excerpts of the page's own words, formulas as plain text.
"use strict";

(() => {
  const LEFT_OUT = ".headerlink, .cell_input, .cite-page, .run-page, summary, script, style, h1";
  const papers = [
    ["diprime-v1", /\bdiprime[ -]?v?1\b/i], ["diprime-v2", /\bdiprime[ -]?v?2\b/i],
    ["m-rf", /\bm-rf\b/i], ["mrf", /\bmrf\b/i], ["rdf", /\brdf\b/i],
  ];
  const greek = { epsilon: "ε", delta: "δ", gamma: "γ", tau: "τ", kappa: "κ", lambda: "λ", sigma: "σ", rho: "ρ",
    le: "≤", ge: "≥" };

  // Ahead of the results: what was asked, as the ledger's own filter has it.
  function claims(asked) {
    const found = papers.find(([, name]) => name.test(asked));
    const text = found ? asked.replace(found[1], " ").replace(/\s+/g, " ").trim() : asked;
    const query = new URLSearchParams({ ...(found && { paper: found[0] }), ...(text && { text }) });
    const line = Object.assign(document.createElement("p"), { className: "ask-ledger" });
    const link = Object.assign(document.createElement("a"), {
      href: `book/ledger.html?${query}`, textContent: `“${asked}” in the ledger of claims`,
    });
    line.append("Claims of the papers: ", link);
    return line;
  }

  function plain(tex) {
    const text = tex.replace(/\\[()[\]]/g, "").replace(/\\([a-z]+)/gi, (_, name) => greek[name] || "");
    return text.replace(/[{}]/g, "").replace(/\s+/g, " ");
  }

  // In the place of the search's own, which begins with the heading's copy for print, and blank lines.
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html").querySelector("article.bd-article");
    const part = (anchor && page?.querySelector(anchor)) || page;
    part?.querySelectorAll(LEFT_OUT).forEach((e) => e.remove());
    return plain(part?.textContent || "").trim();
  };

  const asked = new URLSearchParams(location.search).get("q")?.trim();
  if (asked) document.getElementById("search-results").before(claims(asked));
})();
