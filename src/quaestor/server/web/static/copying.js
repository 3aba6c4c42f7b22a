// Copying an answer, or a piece of code in it.
import { say } from "./saying.js";

const SECONDS = 2;
const frame = document.getElementById("copy-code");

/** Give every piece of code that the server made its own button. */
export function dress(root) {
  if (!frame) return;
  for (const code of root.querySelectorAll(".prose pre[tabindex]")) {
    if (code.parentElement.matches(".code-block")) continue;
    const block = frame.content.cloneNode(true).firstElementChild;
    code.replaceWith(block);
    block.append(code);
  }
}

/** Copy the answer of a turn. */
export function copyAnswer(button) {
  return copy(button, button.closest(".turn").querySelector(".prose"));
}

/** Copy the code that a button stands in. */
export function copyCode(button) {
  return copy(button, button.parentElement.querySelector("pre"));
}

async function copy(button, node) {
  const text = textOf(node);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a safe connection there is no clipboard but the old one.
    getSelection().selectAllChildren(node);
    document.execCommand("copy");
    getSelection().empty();
  }
  say("Copied");
  const word = button.querySelector("span");
  button.classList.add("copied");
  word.textContent = "Copied";
  setTimeout(() => {
    button.classList.remove("copied");
    word.textContent = "Copy";
  }, SECONDS * 1000);
}

// What is written on the buttons of the code is not part of an answer.
function textOf(node) {
  const buttons = [...node.querySelectorAll("[data-do=copy-code]")];
  for (const one of buttons) one.hidden = true;
  const text = node.innerText;
  for (const one of buttons) one.hidden = false;
  return text;
}
