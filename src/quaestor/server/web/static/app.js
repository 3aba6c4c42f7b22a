// What every page does: one listener for what is clicked, one for keys.
import { busyWhile, markWhatLeaves, openAbove } from "./busy.js";
import * as chat from "./chat.js";
import { copyAnswer, copyChange, copyCode, copyQuote, copySelection } from "./copy.js";
import * as documents from "./documents.js";
import { closePanel, goBack, isForPanel, openLink } from "./panel.js";
import { say } from "./announce.js";
import { refresh } from "./server.js";
import { localTimes } from "./times.js";
import * as sessions from "./sessions.js";

const INDEXING_PAUSE = 1000;
const help = document.getElementById("help");

const DOES = {
  "close-panel": closePanel,
  "panel-back": goBack,
  cancel: (button) => button.closest("dialog").close(),
  theme: changeTheme,
  help: () => openAbove(help),
  try: (button) => chat.ask(button.textContent),
  stop: chat.stop,
  again: chat.again,
  edit: chat.edit,
  newest: chat.goToNewest,
  copy: copyAnswer,
  "copy-code": copyCode,
  "copy-quote": copyQuote,
  "copy-change": copyChange,
  rename: (button) => sessions.rename(button.closest("[data-session]")),
  delete: (button) => sessions.remove(button.closest("[data-session]")),
  "delete-document": (button) => documents.remove(button.closest("[data-document]")),
};

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a");
  if (isForPanel(event, link)) {
    event.preventDefault();
    await busyWhile(link, openLink(link));
    return;
  }
  const button = event.target.closest("[data-do]");
  try {
    if (button) await busyWhile(button, DOES[button.dataset.do]?.(button));
  } catch (error) {
    say(error.message);
    alert(error.message);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (document.querySelector("dialog:modal")) return;
    if (!closePanel() && chat.isRunning()) chat.stop();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const field = document.querySelector("[data-slash]") ?? document.getElementById("question");
  if (event.key === "/" && field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "?") {
    openAbove(help);
  }
});

function changeTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  say(dark ? "Light" : "Dark");
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // It holds for this page then.
  }
}

async function watchIndexing() {
  const indexing = () => document.getElementById("indexing");
  while (indexing() && !indexing().hasAttribute("data-ready")) {
    await new Promise((resolve) => setTimeout(resolve, INDEXING_PAUSE));
    await refresh("/parts/indexing").catch(() => {});
  }
  // What was searched for too early is found now.
  if (document.querySelector("[data-awaits-index]")) location.reload();
}

document.addEventListener("copy", copySelection);
localTimes(document);
markWhatLeaves();
for (const code of document.querySelectorAll(".result .code")) {
  const marked = code.querySelector(".line.marked");
  if (marked) code.scrollTop = marked.getBoundingClientRect().top - code.getBoundingClientRect().top - code.clientHeight / 3;
}
if (document.getElementById("composer")) chat.begin();
if (document.getElementById("upload")) documents.begin();
watchIndexing();
