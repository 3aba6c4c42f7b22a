// One's own documents: uploaded, dropped, pasted, deleted.
import { confirmed } from "./ask.js";
import { say } from "./announce.js";
import { call, refresh } from "./server.js";
import { amount, plain } from "./text.js";

const upload = document.getElementById("upload");
const paste = document.getElementById("paste");
const failed = document.getElementById("document-failed");
const uploading = document.getElementById("uploading");

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

function sent(given) {
  if (!(given instanceof File)) return given;
  const form = new FormData();
  form.append("file", given);
  return form;
}

// One that fails does not keep the others out.
async function add(documents, form) {
  const problems = [];
  const brokenOff = new DataTransfer();
  const button = form.querySelector("button");
  button.disabled = true;
  uploading.hidden = form !== upload;
  for (const [number, given] of [...documents].entries()) {
    uploading.textContent = `Uploading ${number + 1} of ${documents.length}: ${plain(given.name)}`;
    await call("POST", "/api/documents", sent(given)).catch((error) => {
      problems.push(about(given.name, error.message));
      if (form === upload && (!error.status || error.status >= 500)) brokenOff.items.add(given);
    });
  }
  button.disabled = false;
  uploading.hidden = true;
  show(problems);
  const added = documents.length - problems.length;
  if (added) {
    form.reset();
    say(`${amount(added, "document")} added`);
  }
  // What did not arrive stays chosen, to be sent again.
  if (form === upload) upload.elements.files.files = brokenOff.files;
  await refresh("/parts/documents").catch(() => {});
}

// What refuses a file before it is read does not know its name.
function about(name, message) {
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
