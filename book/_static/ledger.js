// Filters the rows of the ledger, and typesets a row's formulas when it is seen. Without this script every row
// shows and the controls do not.
"use strict";

const SHORT = {
  thm: "theorem", thms: "theorems", lem: "lemma", prop: "proposition", cor: "corollary",
  def: "definition", eq: "equation", eqn: "equation", eqs: "equations", alg: "algorithm",
  sec: "section", sect: "section", fig: "figure", tab: "table", app: "appendix",
};
const PLACE = /^(theorem|lemma|proposition|corollary|definition|equation|algorithm|figure|table) \d+/;
const SHORTEST = 4; // letters of a word that counts, where no row has all words
const NEAR = 0.5; // of the best row's score: what else is shown for a pasted sentence
const FEW = 5; // rows at most, then
const SENTENCE = 6; // words; a text of more is a sentence that was pasted
const LONGEST = 8; // words of a question that names a paper
const IDLE = /^(and|&|et|al|of|by|in|the|\d{4}|)$/; // what stands beside an author's name

function filterLedger(ledger) {
  const form = ledger.querySelector(".ledger-filter");
  const rows = [...ledger.querySelectorAll("tbody tr[data-verdict]")];
  const names = [...form.elements].map((field) => field.name).filter(Boolean);
  const more = JSON.parse(ledger.querySelector(".ledger-words").textContent); // what an entry's page says, too
  const places = new Map(rows.map((row) => [row, textOf(row.cells[1])]));
  const statements = new Map(rows.map((row) => [row, textOf(row.cells[2])]));
  const texts = new Map(rows.map((row) => [row, `${textOf(row)} ${simple(more[row.id])}`]));
  const own = new Map(
    rows.map((row) => [row, spaced(`${row.id} ${places.get(row)} ${statements.get(row)}`)]),
  );
  const papersOf = JSON.parse(form.dataset.named); // by a word that names them
  let onlyNear = false; // whether no row has what was asked for
  const everything = new Map(); // of a row, its words with a space before each; filled when asked for

  // Small letters, no brackets, and the words that "Thm. 2", "eq. (9)" and "§ 3" are short for.
  function simple(text) {
    const plain = text.toLowerCase().replace(/[()[\]]/g, " ").replace(/§+/g, " section ");
    const words = plain.split(/\s+/).filter(Boolean);
    return words.map((word) => SHORT[word.replace(/\.$/, "")] || word).join(" ");
  }

  // With a space between elements: a line break is none of its own in textContent.
  function textOf(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const parts = [];
    while (walker.nextNode()) parts.push(walker.currentNode.data);
    return simple(parts.join(" "));
  }

  // "theorem 2" is not a part of "theorem 21".
  function phrase(text) {
    const plain = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(`(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`, "u");
  }

  // Of "Fletcher and Islam 2017, theorem 1" and "theorem 1 of DiPriMe v1" the rows of that paper, and what else is
  // looked for.
  function ofPaper(candidates, text) {
    const words = text.split(" ").map((word) => word.replace(/[:,.]$/, ""));
    const named = words.filter((word) => papersOf[word]);
    if (!named.length || words.length > LONGEST) return [candidates, text];
    let papers = papersOf[named[0]];
    const version = words.find((word) => papers.some((paper) => paper.endsWith(`-${word}`)));
    if (version) papers = papers.filter((paper) => paper.endsWith(`-${version}`));
    const rest = words.filter((word) => !papersOf[word] && word !== version && !IDLE.test(word));
    return [candidates.filter((row) => papers.includes(row.dataset.paper)), rest.join(" ")];
  }

  // The rows whose place has the phrase; if there is none, those whose statement has it, then those
  // with it anywhere, then with all words, and at last those nearest to a pasted sentence.
  function searched(all, asked) {
    const [candidates, text] = ofPaper(all, asked);
    onlyNear = false;
    if (!text) return candidates;
    const words = text.split(" ");
    const whole = phrase(text);
    const rules = [
      (row) => whole.test(places.get(row)),
      (row) => whole.test(statements.get(row)),
      (row) => whole.test(texts.get(row)),
      (row) => words.length <= SENTENCE && words.every((word) => texts.get(row).includes(word)),
    ];
    const found = rules.map((rule) => candidates.filter(rule)).find((some) => some.length);
    const exact = found || named(candidates, text);
    onlyNear = !exact;
    return exact || nearest(candidates, words);
  }

  // Of a sentence that begins with its place, as "Theorem 7 Algorithm 2 satisfies ...", the rows of that.
  function named(candidates, text) {
    const place = text.match(PLACE);
    const whole = place && phrase(place[0]);
    const rows = place && candidates.filter((row) => whole.test(places.get(row)));
    return rows && rows.length ? rows : null;
  }

  // The rows that share words with a pasted sentence. Rare words count more, endings do not count, and
  // a word that only the evidence has counts little.
  function nearest(candidates, words) {
    const stems = [...new Set(words.map(stem).filter((word) => word.length >= SHORTEST))];
    const weights = stems.map((word) => {
      const having = rows.filter((row) => own.get(row).includes(` ${word}`)).length;
      return Math.log(rows.length / (1 + having));
    });
    const scores = candidates.map((row) =>
      stems.reduce((sum, word, i) => sum + weights[i] * share(row, ` ${word}`), 0),
    );
    const most = Math.max(0, ...scores);
    const near = candidates.map((row, i) => [row, scores[i]]).filter(([, s]) => s && s >= NEAR * most);
    near.sort((one, other) => other[1] - one[1]); // of equal ones the first on the page stays first
    return near.slice(0, FEW).map(([row]) => row);
  }

  function share(row, word) {
    if (own.get(row).includes(word)) return 1;
    if (!everything.has(row)) everything.set(row, spaced(texts.get(row)));
    return everything.get(row).includes(word) ? 0.3 : 0;
  }

  function stem(word) {
    const bare = spaced(word).trim();
    return bare.length > 5 ? bare.slice(0, Math.max(SHORTEST, bare.length - 2)) : bare;
  }

  // Letters and digits, with a space before each word.
  function spaced(text) {
    return ` ${text}`.replace(/[^\p{L}\p{N}]+/gu, " ");
  }

  function apply() {
    const chosen = ["paper", "chapter", "verdict", "about"].filter(
      (name) => form.elements[name] && form.elements[name].value,
    );
    const candidates = rows.filter((row) =>
      chosen.every((name) => row.dataset[name] === form.elements[name].value),
    );
    const shown = new Set(searched(candidates, simple(form.elements.text.value)));
    rows.forEach((row) => (row.hidden = !shown.has(row)));
    ledger.querySelectorAll("tbody").forEach((body) => {
      body.hidden = !body.querySelector("tr[data-verdict]:not([hidden])");
    });
    const near = shown.size ? "No claim has all these words; the nearest: " : "No claim has such words: ";
    const count = `${shown.size} of ${rows.length} claims`;
    form.querySelector(".ledger-count").textContent = onlyNear ? near + count : count;
  }

  // The address says what is filtered, so that "all leaks of RDF" can be linked to.
  function fromAddress() {
    const asked = new URLSearchParams(location.search);
    names.forEach((name) => asked.has(name) && (form.elements[name].value = asked.get(name)));
  }

  function toAddress() {
    const values = names.map((name) => [name, form.elements[name].value.trim()]);
    const query = new URLSearchParams(values.filter(([, value]) => value)).toString();
    try {
      history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
    } catch {
      // A browser may refuse to change the address of a page that it has read from the disk.
    }
  }

  form.addEventListener("input", () => {
    apply();
    toAddress();
  });
  form.addEventListener("reset", () =>
    setTimeout(() => {
      apply();
      toAddress();
    }),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  fromAddress();
  apply();
  if (location.search) form.scrollIntoView(); // who asks for some rows sees them, below much else

  // A page full of formulas takes seconds: each row's wait until it comes near the window.
  const near = new IntersectionObserver((seen) => typeset(seen.filter((row) => row.isIntersecting)), {
    rootMargin: "400px",
  });
  rows.forEach((row) => near.observe(row));
  addEventListener("beforeprint", () => typeset(rows.map((row) => ({ target: row }))));

  function typeset(seen) {
    seen.forEach(({ target }) => near.unobserve(target));
    const formulas = seen.flatMap(({ target }) => [...target.querySelectorAll(".tex")]);
    formulas.forEach((formula) => (formula.className = "math"));
    if (formulas.length && window.MathJax)
      MathJax.startup.promise = MathJax.startup.promise.then(() => MathJax.typesetPromise(formulas));
  }
}

document.querySelectorAll(".ledger").forEach(filterLedger);
