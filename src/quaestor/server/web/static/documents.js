// One's own documents: uploaded, dropped, pasted, deleted.
import { confirmed } from "./ask.js";
import { say } from "./announce.js";
import { call, refresh, upload as uploaded } from "./server.js";
import { amount, plain, time } from "./text.js";

const upload = document.getElementById("upload");
const paste = document.getElementById("paste");
const failed = document.getElementById("document-failed");
const uploading = document.getElementById("uploading");
const stop = document.getElementById("stop-upload");
const LONG_STILL = 15; // seconds without progress

export function begin() {
  upload.addEventListener("submit", (event) => {
    event.preventDefault();
    add(upload.elements.files.files, upload);
  });
  paste.addEventListener("submit", (event) => {
    event.preventDefault();
    add([{ name: paste.elements.name.value, text: paste.elements.text.value }], paste);
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    upload.addEventListener(name, (event) => {
      event.preventDefault();
      upload.classList.toggle("dropping", name === "dragover");
    });
  }
  upload.addEventListener("drop", (event) => add(event.dataTransfer.files, upload));
}

/** Delete a document, if that is meant. */
export async function remove(row) {
  if (!(await confirmed(`Delete “${row.dataset.title}” from your documents?`, "Delete"))) return;
  await call("DELETE", `/api/documents/${encodeURIComponent(row.dataset.document)}`);
  say("Deleted");
  await refresh("/parts/documents");
  document.getElementById("main").focus();
}

// One that fails does not keep the others out; those that are not sent yet when somebody stops it are left.
async function add(documents, form) {
  const problems = [];
  const left = new DataTransfer();
  const signal = untilStopped();
  const button = form.querySelector("button");
  button.disabled = true;
  for (const [number, given] of [...documents].entries()) {
    const what = `Uploading ${number + 1} of ${documents.length}: ${plain(given.name)}`;
    const sent = given instanceof File ? send(given, what, signal) : call("POST", "/api/documents", given);
    await sent.catch((error) => {
      problems.push(about(given.name, error.message));
      if (given instanceof File && (!error.status || error.status >= 500)) left.items.add(given);
    });
  }
  button.disabled = false;
  show(problems);
  const added = documents.length - problems.length;
  if (added) {
    form.reset();
    say(`${amount(added, "document")} added`);
  }
  // What did not arrive stays chosen, to be sent again.
  if (form === upload) upload.elements.files.files = left.files;
  await refresh("/parts/documents").catch(() => {});
}

/** What ends the uploads that begin now, once their button is pressed. */
export function untilStopped() {
  const stopping = new AbortController();
  stop.onclick = () => stopping.abort(new Error("You stopped it before it was uploaded."));
  return stopping.signal;
}

/** Send a file, while the page says how much of it has left, and for how long nothing moves; return the document. */
export async function send(given, what, signal) {
  signal.throwIfAborted();
  const form = new FormData();
  form.append("file", given);
  let share = 0;
  let moved = Date.now();
  const tell = () => {
    const still = Math.round((Date.now() - moved) / 1000);
    const lost = still < LONG_STILL ? "" : `. Nothing has moved for ${time(still)}: the connection may be lost.`;
    uploading.textContent = share < 1 ? `${what}, ${Math.floor(share * 100)} %${lost}` : `${what}. It is sent; the server reads it (${time(still)}).`;
  };
  const ticking = setInterval(tell, 1000);
  uploading.hidden = stop.hidden = false;
  say(what);
  tell();
  try {
    return await uploaded("/api/documents", form, signal, (now) => {
      [share, moved] = [now, Date.now()];
      tell();
    });
  } finally {
    clearInterval(ticking);
    uploading.hidden = stop.hidden = true;
  }
}

/** What is said of a file that failed: what refuses one before it is read does not know its name. */
export function about(name, message) {
  return message.includes(name) ? message : `${plain(name)}: ${message}`;
}

function show(problems) {
  failed.hidden = problems.length === 0;
  failed.firstElementChild.replaceChildren(
    ...problems.map((problem) => {
      const said = document.createElement("li");
      said.textContent = problem;
      return said;
    }),
  );
  if (problems.length) failed.scrollIntoView({ block: "nearest" });
}
