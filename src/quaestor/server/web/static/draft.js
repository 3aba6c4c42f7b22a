// What is typed and not sent yet, kept in the browser: it is there after a reload, a crash, or a day.
const KEY = "draft:";

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

  /** Keep what is in the field, or another text. */
  keep(text = this.#field.value) {
    try {
      if (text) localStorage.setItem(KEY + this.#name(), text);
      else localStorage.removeItem(KEY + this.#name());
    } catch {
      // Where nothing can be kept, the browser asks before it leaves.
      addEventListener("beforeunload", this.#ask);
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
