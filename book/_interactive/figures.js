// Draws a figure from the numbers that lie beside its picture, with a control for each parameter.
// Without this script the picture shows. The format is that of book/_ext/dplit_figures.py.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const INK = "#3b4149";
  const MARGIN = { left: 66, right: 14, top: 10, bottom: 46 };
  const LOWER = 130; // the lower panel's height, and the room above it
  const GAP = 14;
  const SHAPES = {
    o: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
    s: "M-3.6,-3.6h7.2v7.2h-7.2Z",
    "^": "M0,-4.6L4.4,3.6H-4.4Z",
    v: "M0,4.6L4.4,-3.6H-4.4Z",
    D: "M0,-5L5,0L0,5L-5,0Z",
  };

  // What a browser and a reader can take: elements, numbers in words, ticks.

  function make(name, attributes, parent, text) {
    const element = name.includes(":")
      ? document.createElementNS(SVG, name.slice(4))
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  }

  function inWords(value, least) {
    if (value === null) return least ? `below ${inWords(least)}` : "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
      const [digits, power] = value.toExponential(2).split("e");
      return `${Number(digits) === 1 ? "" : `${digits} × `}10${raised(Number(power))}`;
    }
    return String(Number(value.toPrecision(3)));
  }

  function raised(power) {
    const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    return (power < 0 ? "⁻" : "") + [...String(Math.abs(power))].map((d) => digits[d]).join("");
  }

  function limits(axis, values) {
    const seen = values.filter((v) => v !== null && (!axis.log || v > 0));
    let low = axis.low ?? Math.min(...seen);
    let high = axis.high ?? Math.max(...seen);
    if (axis.log) return [low, high];
    const room = 0.04 * (high - low || 1);
    if (axis.low === null) low -= room;
    if (axis.high === null) high += room;
    return [low, high];
  }

  function ticks(axis, low, high, most) {
    if (axis.log && Math.log10(high / low) < 2.5) {
      const some = axis.values.length && axis.values.length <= 10 ? axis.values : steps(low, high);
      return some.filter((v) => v >= low * 0.999 && v <= high * 1.001);
    }
    if (axis.log) {
      const first = Math.ceil(Math.log10(low) - 1e-9);
      const last = Math.floor(Math.log10(high) + 1e-9);
      const every = Math.ceil((last - first + 1) / most);
      const count = Math.floor((last - first) / every) + 1;
      return Array.from({ length: count }, (_, i) => 10 ** (first + i * every));
    }
    const rough = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
    const first = Math.ceil(low / step);
    const count = Math.floor(high / step) - first + 1;
    return Array.from({ length: count }, (_, i) => (first + i) * step);
  }

  function steps(low, high) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
      for (const digit of [1, 2, 5]) found.push(digit * 10 ** power);
    }
    return found;
  }

  function label(axis, value) {
    const power = Math.log10(value);
    const whole = axis.log && Math.abs(power - Math.round(power)) < 1e-9;
    if (whole && Math.abs(power) > 2) return `10${raised(Math.round(power))}`;
    return String(Number(value.toPrecision(6)));
  }

  function scale(axis, [low, high], start, end) {
    const at = axis.log ? Math.log : (v) => v;
    return (value) => start + ((at(value) - at(low)) / (at(high) - at(low))) * (end - start);
  }

  // One figure.

  function draw(script) {
    const data = JSON.parse(script.textContent);
    const figure = script.closest("figure");
    const picture = figure.querySelector("img");
    const box = make("div", { class: "moving" });
    const chosen = data.controls.map((control) => control.start);
    let place = Math.floor((data.x.values.length - 1) / 2);
    let across = () => 0;

    const form = make("form", { class: "moving-controls" }, box);
    form.addEventListener("submit", (event) => event.preventDefault());
    data.controls.forEach((control, i) => {
      const field = (control.kind === "choice" ? choice : slider)(control, form);
      field.addEventListener("input", () => {
        chosen[i] = Number(field.value);
        show();
      });
    });
    const positions = { label: `read at: ${data.x.label}`, values: data.x.values.map(inWords), start: place };
    const reader = slider(positions, form);
    reader.addEventListener("input", () => {
      place = Number(reader.value);
      show();
    });
    const svg = make("svg:svg", { role: "img", class: "moving-plot" }, box);
    const hint = "Move over the plot, or the slider that says where to read, for the values of all lines.";
    const table = make("div", { class: "moving-values" }, box);
    make("p", { class: "moving-hint" }, box, hint);
    const still = make("button", { type: "button", class: "moving-still" }, form, "Show the picture");
    still.addEventListener("click", () => {
      const moving = figure.classList.toggle("is-moving");
      still.textContent = moving ? "Show the picture" : "Show the moving figure";
      if (moving) show();
    });
    svg.addEventListener("pointermove", (event) => {
      const seen = event.clientX - svg.getBoundingClientRect().left;
      const far = data.x.values.map((value) => Math.abs(across(value) - seen));
      move(far.indexOf(Math.min(...far)));
    });
    function move(to) {
      if (to === place) return;
      place = to;
      reader.value = to;
      reader.dispatchEvent(new Event("input"));
    }

    function frame() {
      const sizes = data.controls.map((control) => control.values.length);
      return data.frames[chosen.reduce((index, value, i) => index * sizes[i] + value, 0)];
    }

    function show() {
      const width = Math.max(280, box.clientWidth);
      const tall = Math.round(Math.max(260, Math.min(400, 0.58 * width)));
      const height = tall + (data.ratio ? LOWER : 0);
      const lines = frame();
      const xs = data.x.values;
      const xLimits = limits(data.x, xs);
      const bottom = height - MARGIN.bottom;
      across = scale(data.x, xLimits, MARGIN.left + 6, width - MARGIN.right);
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.setAttribute("width", width);
      svg.setAttribute("height", height);
      svg.replaceChildren();
      make("svg:rect", { width, height, fill: "#fff" }, svg);
      for (const value of ticks(data.x, ...xLimits, width / 70)) {
        const x = across(value);
        make("svg:path", { d: `M${x},${MARGIN.top}V${bottom}`, class: "moving-grid" }, svg);
        const at = { x, y: bottom + 18, "text-anchor": "middle" };
        make("svg:text", at, svg, label(data.x, value));
      }
      const middle = { x: (MARGIN.left + width - MARGIN.right) / 2, y: height - 8 };
      make("svg:text", { ...middle, "text-anchor": "middle" }, svg, data.x.label);
      panel(data.y, lines, MARGIN.top, tall - MARGIN.bottom, 45);
      if (data.ratio) panel(data.ratio, lines.map(over), tall - MARGIN.bottom + GAP, bottom, 24);
      const x = across(xs[place]);
      make("svg:path", { d: `M${x},${MARGIN.top}V${bottom}`, class: "moving-cross" }, svg);
      values(lines);

      function over(ys) {
        const { low, high } = data.ratio;
        const ratios = ys.map((y, k) => y / lines[data.ratio.over][k]);
        return ratios.map((r) => (r >= low && r <= high ? r : null));
      }

      function panel(axis, drawn, top, foot, room) {
        const yLimits = limits(axis, drawn.flat());
        const up = scale(axis, yLimits, foot, top);
        for (const value of ticks(axis, ...yLimits, (foot - top) / room)) {
          const y = up(value);
          make("svg:path", { d: `M${MARGIN.left},${y}H${width - MARGIN.right}`, class: "moving-grid" }, svg);
          const at = { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" };
          make("svg:text", at, svg, label(axis, value));
        }
        const corner = `M${MARGIN.left},${top}V${foot}H${width - MARGIN.right}`;
        make("svg:path", { d: corner, fill: "none", stroke: INK }, svg);
        const turned = `translate(16 ${(top + foot) / 2}) rotate(-90)`;
        make("svg:text", { transform: turned, "text-anchor": "middle" }, svg, axis.label);
        const clipped = (y) => up(Math.min(y, yLimits[1]));
        drawn.forEach((ys, i) => curve(data.lines[i], ys, axis, clipped, foot));
      }

      function curve(line, ys, axis, up, foot) {
        const seen = (y) => y !== null && (!axis.log || y > 0);
        let path = "";
        ys.forEach((y, k) => {
          if (!seen(y)) return;
          path += `${path ? "L" : "M"}${across(xs[k]).toFixed(1)},${up(y).toFixed(1)}`;
        });
        if (!path) return;
        if (line.shaded) {
          const below = `${path}V${foot}H${across(xs[0])}Z`;
          make("svg:path", { d: below, fill: line.color, "fill-opacity": 0.12 }, svg);
        }
        const look = { stroke: line.color, "stroke-width": line.width, "stroke-dasharray": line.dash };
        make("svg:path", { d: path, fill: "none", class: "moving-line", ...look }, svg);
        if (!line.mark) return;
        ys.forEach((y, k) => {
          if (!seen(y)) return;
          const at = `translate(${across(xs[k])} ${up(y)})`;
          make("svg:path", { d: SHAPES[line.mark], transform: at, fill: line.color }, svg);
        });
      }
    }

    function values(lines) {
      const said = lines.map((ys) => inWords(ys[place], data.y.low));
      const read = data.lines.map((line, i) => `${line.name}: ${said[i]}`);
      const where = `At ${data.x.label} = ${inWords(data.x.values[place])}`;
      const named = data.controls.map((c, i) => `${c.label} ${c.values[chosen[i]]}`);
      svg.setAttribute("aria-label", `${data.y.label}; ${named.join(", ")}. ${where}; ${read.join("; ")}`);
      table.replaceChildren();
      make("span", { class: "moving-where" }, table, where);
      data.lines.forEach((line, i) => {
        const entry = make("span", { class: "moving-entry" }, table);
        const key = make("svg:svg", { width: 30, height: 12, "aria-hidden": "true" }, entry);
        const look = { stroke: line.color, "stroke-width": line.width, "stroke-dasharray": line.dash };
        make("svg:path", { d: "M1,6H29", ...look }, key);
        const at = { transform: "translate(15 6)", fill: line.color };
        if (line.mark) make("svg:path", { d: SHAPES[line.mark], ...at }, key);
        make("span", {}, entry, line.name);
        make("b", {}, entry, said[i]);
      });
    }

    picture.after(box);
    figure.classList.add("is-moving");
    show();
    let before = box.clientWidth;
    new ResizeObserver(() => {
      if (box.clientWidth === before || !box.clientWidth) return;
      before = box.clientWidth;
      show();
    }).observe(box);
  }

  // The controls, each within its label.

  function choice(control, form) {
    const outer = make("label", {}, form);
    make("span", {}, outer, control.label);
    const field = make("select", {}, outer);
    control.values.forEach((name, i) => make("option", { value: i }, field, name));
    field.value = control.start;
    return field;
  }

  function slider(control, form) {
    const outer = make("label", {}, form);
    make("span", {}, outer, control.label);
    const ends = { type: "range", min: 0, max: control.values.length - 1, step: 1 };
    const field = make("input", { ...ends, value: control.start }, outer);
    const said = make("output", {}, outer);
    const say = () => {
      said.textContent = control.values[field.value];
      field.setAttribute("aria-valuetext", control.values[field.value]);
    };
    field.addEventListener("input", say);
    say();
    return field;
  }

  document.querySelectorAll("script.figure-data").forEach(draw);
})();
