// One's own documents: uploaded, dropped, pasted, deleted.
import { confirmed } from "./asking.js";
import { say } from "./saying.js";
import { call, refresh } from "./server.js";

const upload = document.getElementById("upload");
const paste = document.getElementById("paste");
const failed = document.getElementById("document-failed");

export function begin() {
  upload.addEventListener("submit", (event) => {
    event.preventDefault();
    add([...upload.elements.files.files].map(asForm), upload);
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
  upload.addEventListener("drop", (event) => add([...event.dataTransfer.files].map(asForm), upload));
}

/** Delete a document, if that is meant. */
export async function remove(row) {
  if (!(await confirmed(`Delete “${row.dataset.title}” from your documents?`, "Delete"))) return;
  await call("DELETE", `/api/documents/${encodeURIComponent(row.dataset.document)}`);
  say("Deleted");
  await refresh("/parts/documents");
  document.getElementById("main").focus();
}

function asForm(file) {
  const form = new FormData();
  form.append("file", file);
  return form;
}

// One that fails does not keep the others out.
async function add(bodies, form) {
  const problems = [];
  const button = form.querySelector("button");
  button.disabled = true;
  for (const body of bodies) {
    await call("POST", "/api/documents", body).catch((error) => problems.push(error.message));
  }
  button.disabled = false;
  failed.hidden = problems.length === 0;
  failed.classList.toggle("bad", problems.length > 0);
  failed.firstElementChild.textContent = problems.join(" ");
  if (problems.length < bodies.length) {
    form.reset();
    say("Added");
  }
  await refresh("/parts/documents");
}
