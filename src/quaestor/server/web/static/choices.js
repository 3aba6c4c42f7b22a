// What goes with a question beside its words: which corpora it is about, which model answers, files that are attached.
import { say } from "./announce.js";
import { about as told, send, untilStopped } from "./documents.js";
import { plain } from "./text.js";

/** What is said where a file that is on its way must arrive first. */
export const ATTACHING = "A file is still being attached. Wait until it is there, or stop it first.";
const MOST_FILES = 10;
const KEY = "model";

const composer = document.getElementById("composer");
const about = document.getElementById("about");
const select = document.getElementById("model");
const attached = document.getElementById("attached");

/** The names of the corpora that are ticked; none where there is no choice. */
export function corpora() {
  const boxes = [...(about?.querySelectorAll("input") ?? [])];
  const ticked = boxes.filter((box) => box.checked);
  return (ticked.length ? ticked : boxes).map((box) => box.value);
}

/** Whether a file is still on its way. */
export function areAttaching() {
  return composer.hasAttribute("aria-busy");
}

/** The model that is chosen; empty for the server's own. */
export function model() {
  return select?.value ?? "";
}

/** A conversation stays with the corpora that it began with. */
export function fix() {
  if (!about) return;
  const said = document.createElement("span");
  said.className = "small muted asked-about";
  said.textContent = about.querySelector("summary").textContent;
  about.replaceWith(said);
}

/** Begin to follow what is chosen; `changed` is called with each other choice of corpora, `refuse` with what failed. */
export function begin(changed, refuse) {
  about?.addEventListener("change", () => {
    showCorpora();
    changed();
  });
  if (about) showCorpora();
  rememberModel();
  attached.addEventListener("change", async () => {
    await attach([...attached.files], refuse);
    attached.value = "";
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    composer.addEventListener(name, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      composer.classList.toggle("dropping", name === "dragover");
      if (name === "drop") attach([...event.dataTransfer.files], refuse);
    });
  }
}

function showCorpora() {
  const boxes = [...about.querySelectorAll("input")];
  const ticked = boxes.filter((box) => box.checked);
  const titles = ticked.map((box) => plain(box.parentElement.textContent.trim()));
  const all = [0, boxes.length].includes(ticked.length);
  const words = all ? "Everything here" : titles.join(", ");
  const subject = document.getElementById("subject");
  if (subject) subject.textContent = all ? "everything here" : words;
  const summary = about.querySelector("summary");
  summary.textContent = words;
  summary.setAttribute("aria-label", `What is asked about: ${words}`);
}

// The choice holds for the conversations to come as well; one that is on record keeps the model that answered last.
function rememberModel() {
  if (!select) return;
  try {
    const kept = localStorage.getItem(KEY);
    const known = [...select.options].some((one) => one.value === kept);
    if (known && !composer.elements.session.value) select.value = kept;
    select.addEventListener("change", () => localStorage.setItem(KEY, select.value));
  } catch {
    // It holds for this page then.
  }
}

// A file becomes one of one's own documents, and the question names it: that can be seen, and taken out again.
async function attach(files, refuse) {
  if (areAttaching()) return refuse("", ATTACHING);
  const field = composer.elements.question;
  const problems = files.length > MOST_FILES ? [`Only the first ${MOST_FILES} files were attached.`] : [];
  const signal = untilStopped();
  composer.setAttribute("aria-busy", "true");
  for (const file of files.slice(0, MOST_FILES)) {
    try {
      const { name, corpus } = await send(file, `Attaching ${plain(file.name)}`, signal);
      const path = `${corpus}/${name}`;
      const words = /^[\p{L}\p{N}_./+-]*[\p{L}\p{N}_]$/u.test(path) ? `@${path}` : `@"${path}"`;
      field.value = `${field.value.trimEnd()}${field.value.trim() ? " " : ""}${words} `;
      field.dispatchEvent(new Event("input"));
      say(`Attached ${plain(name)}`);
    } catch (error) {
      problems.push(told(file.name, error.message));
    }
  }
  composer.removeAttribute("aria-busy");
  if (problems.length) refuse("", problems.join(" "));
  field.focus();
}
