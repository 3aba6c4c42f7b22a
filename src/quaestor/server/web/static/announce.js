// What is said to those who do not see the page: states at once, and an answer paragraph by paragraph.
const status = document.getElementById("status");
const spoken = document.getElementById("spoken");
const MOST = 40;

/** Say what happens. */
export function say(text) {
  status.textContent = text;
}

/** Takes an answer as it arrives, and says each paragraph when it is whole. */
export class Reader {
  #held = "";

  take(text) {
    const paragraphs = (this.#held + text).split(/\n\s*\n/);
    this.#held = paragraphs.pop();
    paragraphs.forEach(read);
  }

  end() {
    read(this.#held);
    this.#held = "";
  }
}

function read(paragraph) {
  const words = paragraph.replace(/```[^]*?(```|$)/g, "(code)").replace(/\[\d+[^\]]*\]/g, "").replace(/[*_#>`|]+/g, " ").trim();
  if (!words || !spoken) return;
  const said = document.createElement("p");
  said.textContent = words;
  spoken.append(said);
  while (spoken.childElementCount > MOST) spoken.firstElementChild.remove();
}
