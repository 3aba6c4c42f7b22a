// Copying an answer, a piece of code or a quote: as Markdown, with what it cites.
import { say } from "./announce.js";
import { text } from "./server.js";

const SECONDS = 2;
const frame = document.getElementById("copy-code");

/** Give every piece of code, and every quote, that the server made its own button. */
export function dress(root) {
  if (!frame) return;
  for (const piece of root.querySelectorAll(".prose pre[tabindex], .prose > blockquote, .quote")) {
    if (piece.parentElement.matches(".code-block")) continue;
    const block = frame.content.cloneNode(true).firstElementChild;
    const quoted = piece.matches("blockquote");
    block.classList.toggle("of-quote", quoted);
    if (quoted) block.firstElementChild.dataset.do = "copy-quote";
    piece.replaceWith(block);
    block.append(piece);
  }
}

/** Copy the answer of a turn, with the list of what it cites. */
export function copyAnswer(button) {
  return copy(button, text(button.dataset.from));
}

/** Copy the code that a button stands in. */
export function copyCode(button) {
  return copy(button, button.parentElement.querySelector("pre").innerText);
}

/** Copy a proposed change, as `git apply` takes it. */
export function copyChange(button) {
  return copy(button, button.closest(".proposal").querySelector("pre").textContent);
}

/** Copy the quote that a button stands in, with the place where it stands. */
export function copyQuote(button) {
  const quote = button.parentElement.querySelector("blockquote");
  const place = placeOf(quote) ?? "";
  const lines = wordsOf(quote).split("\n").map((one) => `> ${one}`.trimEnd());
  return copy(button, [...lines, ...(place && [">", `> — ${place}`])].join("\n"));
}

// The place that the mark within a quote, or the next one behind it, points to; in the panel, that of its heading.
function placeOf(quote) {
  const within = quote.querySelector(".cite") ?? quote.closest(".prose > *")?.nextElementSibling?.querySelector(".cite");
  return within?.dataset.place ?? quote.closest(".page")?.querySelector(".place")?.textContent;
}

function wordsOf(quote) {
  const words = quote.cloneNode(true);
  for (const mark of words.querySelectorAll(".cite")) mark.remove();
  // Only what is shown has its lines as they are seen.
  quote.after(words);
  const found = words.innerText.trim();
  words.remove();
  return found;
}

/** Let what is selected be copied as it was written: formulas as TeX, marks as [1], and no buttons. */
export function copySelection(event) {
  const selected = getSelection();
  if (selected.isCollapsed || event.target.closest?.("input, textarea")) return;
  const copied = document.createElement("div");
  for (let at = 0; at < selected.rangeCount; at++) copied.append(selected.getRangeAt(at).cloneContents());
  if (!copied.querySelector("math, .cite")) return;
  for (const one of copied.querySelectorAll("math")) {
    const sign = one.getAttribute("display") ? "$$" : "$";
    one.replaceWith(sign, one.getAttribute("alttext"), sign);
  }
  for (const one of copied.querySelectorAll(".cite")) one.replaceWith(`[${one.textContent}]`);
  for (const one of copied.querySelectorAll("button, .turn-foot")) one.remove();
  // Only what is in the page has its lines as they are seen.
  document.body.append(copied);
  event.clipboardData.setData("text/plain", copied.innerText.trim());
  event.clipboardData.setData("text/html", copied.innerHTML);
  copied.remove();
  event.preventDefault();
}

async function copy(button, what) {
  await put(what);
  say("Copied");
  const word = button.querySelector("span");
  button.classList.add("copied");
  word.textContent = "Copied";
  setTimeout(() => {
    button.classList.remove("copied");
    word.textContent = "Copy";
  }, SECONDS * 1000);
}

async function put(what) {
  try {
    // A browser lets a click write what comes only later in this way alone.
    const blob = Promise.resolve(what).then((words) => new Blob([words], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch {
    // Without a safe connection there is no clipboard but the old one.
    const field = document.createElement("textarea");
    field.value = await what;
    (document.querySelector("dialog:modal") ?? document.body).append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}
