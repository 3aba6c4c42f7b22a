// Asking a person: is it meant, and how should it be called?
import { openAbove } from "./busy.js";

const dialog = document.getElementById("confirm");
const title = document.getElementById("confirm-title");
const label = document.getElementById("confirm-label");
const text = document.getElementById("confirm-text");
const yes = document.getElementById("confirm-yes");

/** True if the person agrees. */
export async function confirmed(question, agree) {
  return (await answered(question, agree, null)) !== null;
}

/** What the person wrote; null if they would rather not. */
export function written(question, agree, before) {
  return answered(question, agree, before);
}

function answered(question, agree, before) {
  title.textContent = question;
  yes.textContent = agree;
  // What is only agreed to cannot be taken back; what is written can be written again.
  yes.classList.toggle("danger", before === null);
  label.hidden = before === null;
  text.value = before ?? "";
  dialog.returnValue = "";
  openAbove(dialog);
  if (before !== null) text.select();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes" ? text.value.trim() : null), { once: true });
  });
}
