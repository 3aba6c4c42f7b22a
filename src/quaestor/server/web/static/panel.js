// The panel at the side, a sheet on a phone: sources, and the lines that an answer rests on.
import { say } from "./announce.js";
import { openAbove } from "./busy.js";
import { dress } from "./copy.js";
import { part } from "./server.js";

const panel = document.getElementById("panel");
const title = document.getElementById("panel-title");
const body = document.getElementById("panel-body");
const back = document.getElementById("panel-back");
const beside = matchMedia("(min-width: 76.01rem)");
let opener = null;
let shown = [];

/** Whether a click on a link is meant for the panel, and not for a tab of its own. */
export function isForPanel(event, link) {
  return link?.matches("[data-panel], .cite") && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
}

/** Open what a link leads to. */
export async function openLink(link) {
  const within = panel.contains(link);
  if (!within) {
    opener = link;
    shown = [];
  }
  document.querySelector(".cite.open")?.classList.remove("open");
  if (link.matches(".cite")) link.classList.add("open");
  shown.push(link.getAttribute("href"));
  await show();
}

/** Go back to what the panel showed before. */
export async function goBack() {
  shown.pop();
  await show();
}

/** Close the panel; attention goes back to where it came from. */
export function closePanel() {
  if (!panel.open) return false;
  panel.close();
  return true;
}

panel?.addEventListener("close", () => {
  document.querySelector(".cite.open")?.classList.remove("open");
  if (opener?.isConnected) opener.focus();
});
// A click beside a sheet closes it.
panel?.addEventListener("click", (event) => {
  if (event.target === panel && panel.matches(":modal")) panel.close();
});

async function show() {
  const path = shown.at(-1);
  open();
  let made;
  try {
    made = await part(`${path}${path.includes("?") ? "&" : "?"}bare=1`);
  } catch (error) {
    made = document.createElement("p");
    made.textContent = error.message;
  }
  // What was closed meanwhile, or follows something that was clicked later, comes too late.
  if (path !== shown.at(-1) || !panel.open) return;
  fill(made);
}

// The panel is there before what it will show is.
function open() {
  body.setAttribute("aria-busy", "true");
  back.hidden = shown.length < 2;
  if (panel.open) return;
  title.textContent = "Loading";
  body.replaceChildren();
  beside.matches ? panel.show() : openAbove(panel);
  title.focus({ preventScroll: true });
}

function fill(made) {
  body.removeAttribute("aria-busy");
  body.replaceChildren(made);
  dress(body);
  const page = body.firstElementChild;
  title.textContent = page?.dataset.title || "Sources";
  title.focus({ preventScroll: true });
  say(title.textContent);
  body.scrollTop = 0;
  const marked = body.querySelector(".line.marked");
  // Only the panel is to scroll: scrollIntoView would move the page as well.
  if (marked) body.scrollTop = marked.getBoundingClientRect().top - body.getBoundingClientRect().top - body.clientHeight / 3;
}
