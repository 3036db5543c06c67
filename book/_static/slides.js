// The arrow keys, the space bar and the page keys turn the slides.
"use strict";

(() => {
  const slides = [...document.querySelectorAll(".slide")];
  const forward = ["ArrowRight", "ArrowDown", "PageDown", " "], back = ["ArrowLeft", "ArrowUp", "PageUp"];
  addEventListener("keydown", (event) => {
    const step = forward.includes(event.key) - back.includes(event.key);
    if (!step) return;
    event.preventDefault();
    const tops = slides.map((slide) => Math.abs(slide.getBoundingClientRect().top));
    const here = tops.indexOf(Math.min(...tops));
    slides[Math.min(Math.max(here + step, 0), slides.length - 1)].scrollIntoView();
  });
})();
