// What is typed and not sent yet, kept in the browser: it is there after a reload, a crash, or a day.
const KEY = "draft:";
const unkept = document.getElementById("unkept");

/** Keeps the text of a field under a name that may change. */
export class Draft {
  #field;
  #name;

  /** Begin to keep a field; what was typed before is put back into it. */
  constructor(field, name) {
    this.#field = field;
    this.#name = name;
    if (!field.value) field.value = this.#read() ?? "";
    field.addEventListener("input", () => this.keep());
  }

  /** Keep what is in the field, or another text; where nothing can be kept, say so, and ask before the page is left. */
  keep(text = this.#field.value) {
    const kept = this.#store(text);
    unkept.hidden = kept;
    (kept ? removeEventListener : addEventListener)("beforeunload", this.#ask);
  }

  #store(text) {
    try {
      if (text) localStorage.setItem(KEY + this.#name(), text);
      else localStorage.removeItem(KEY + this.#name());
      return true;
    } catch {
      return !text;
    }
  }

  #ask = (event) => {
    if (this.#field.value.trim()) event.preventDefault();
  };

  #read() {
    try {
      return localStorage.getItem(KEY + this.#name());
    } catch {
      return null;
    }
  }
}
