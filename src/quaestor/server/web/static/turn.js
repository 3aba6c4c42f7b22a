// One turn while its answer arrives: what is done for it, on one line each, and its text. What the server makes of the
// turn takes its place in the end.
import { Reader, say } from "./announce.js";
import { part } from "./server.js";
import { amount, inWords, line, plain, time, withCode, words } from "./text.js";

const limits = (understood) => (understood?.length ? `, only ${understood.map(line).join(", ")}` : "");
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export class Turn {
  #now;
  #elapsed;
  #clock;
  #begun = performance.now();
  #live;
  #tail;
  #held = "";
  #fence = "";
  #reader = new Reader();

  /** Begin a turn at the end of a thread, or in the place of an article. */
  constructor(thread, question, place = null) {
    this.question = question;
    this.article = document.getElementById("fresh-turn").content.cloneNode(true).firstElementChild;
    this.article.querySelector(".question").replaceChildren(...withCode(question));
    this.#now = this.article.querySelector(".doing");
    this.#elapsed = this.article.querySelector(".elapsed");
    this.#live = this.article.querySelector(".live");
    if (place) place.replaceWith(this.article);
    else thread.append(this.article);
    this.#clock = setInterval(() => this.#showElapsed(), 1000);
    this.doing("Searching");
  }

  /** Take an event of the stream. */
  take(name, data) {
    if (name === "text") return this.#text(plain(data.text));
    if (name === "proposed") this.#propose(data);
    const step = this.#words(name, data);
    if (step) this.doing(step, name === "returned" && data.failed);
  }

  /** Say what is being done. */
  doing(text, failed = false) {
    if (this.#now.textContent !== text) say(text);
    this.#now.textContent = text;
    this.#now.classList.toggle("failed", failed);
  }

  /** Say that it began some seconds ago. */
  since(seconds) {
    this.#begun = performance.now() - 1000 * seconds;
    this.#showElapsed();
  }

  /** Begin to take the events anew, from the first. */
  restart() {
    this.#live.replaceChildren();
    for (const shown of this.article.querySelectorAll(".proposal")) shown.remove();
    this.#held = "";
    this.#reader = new Reader();
  }

  /** End with what went wrong, or with why there is no more. */
  end() {
    clearInterval(this.#clock);
    this.#reader.end();
    this.article.classList.remove("streaming");
    this.#now.parentElement.hidden = true;
  }

  /** Say in the turn's place what went wrong. */
  fail(message) {
    const note = document.getElementById("failure").content.cloneNode(true).firstElementChild;
    note.querySelector("p").textContent = plain(message);
    this.article.append(note);
  }

  #showElapsed() {
    const seconds = Math.round((performance.now() - this.#begun) / 1000);
    this.#elapsed.textContent = seconds < 2 ? "" : ` · ${time(seconds)}`;
  }

  #words(name, data) {
    switch (name) {
      case "searching": return `Searching${limits(data.understood)}`;
      case "passages": return `Found ${amount(data.passages.length, "passage")}`;
      case "summarising": return `Summarising ${amount(data.messages, "earlier message")}`;
      case "composed": return `${line(data.model)} reads ${amount(Number(data.sent ?? 0), "passage")}, ${words(data.tokens)}`;
      case "retried": return "Trying again with less text";
      case "called": return `The model looks further: ${line(Object.values(data.arguments ?? {}).join(", "))}`;
      case "returned": return data.failed ? "That found nothing" : `Found ${amount(data.passages?.length ?? 0, "passage")}`;
      case "proposed": return `Proposes to change ${line((data.paths ?? []).join(", "))}`;
      case "stopped": return `Ended early: ${line(inWords(data.reason))}`;
      case "citations": return "Checking what is cited";
      default: return "";
    }
  }

  #propose(data) {
    const shown = document.getElementById("proposal").content.cloneNode(true).firstElementChild;
    shown.querySelector("summary").textContent = this.#words("proposed", data);
    const place = shown.querySelector("pre");
    for (const one of plain(data.diff).trimEnd().split("\n")) {
      const made = document.createElement("span");
      made.textContent = `${one}\n`;
      if (/^(?:\+\+\+|---|@@)/.test(one)) made.className = "t-comment";
      else if (one.startsWith("+")) made.className = "t-inserted";
      else if (one.startsWith("-")) made.className = "t-deleted";
      place.append(made);
    }
    place.hidden = !data.diff;
    for (const one of data.refusals ?? []) {
      const said = document.createElement("p");
      said.textContent = plain(one);
      shown.append(said);
    }
    this.article.append(shown);
  }

  // Whole paragraphs are given to the server, which makes safe HTML of their Markdown; the rest is shown as it is.
  #text(text) {
    if (!this.#live.hasChildNodes()) this.doing("Writing");
    this.#reader.take(text);
    this.#held += text;
    for (let at = this.#end(); at > 0; at = this.#end()) {
      this.#settle(this.#held.slice(0, at));
      this.#held = this.#held.slice(at);
    }
    this.#showTail();
  }

  #showTail() {
    const fenced = FENCE.test(this.#held);
    const tag = fenced ? "PRE" : "SPAN";
    if (this.#tail?.tagName !== tag || !this.#tail.isConnected) {
      this.#tail?.remove();
      this.#tail = document.createElement(tag);
      this.#live.append(this.#tail);
    }
    this.#tail.textContent = fenced ? this.#held.slice(this.#held.indexOf("\n") + 1) : this.#held;
  }

  // Where the first whole block of what is held ends; 0 if there is none yet.
  #end() {
    let at = 0;
    this.#fence = "";
    for (const one of this.#held.split("\n").slice(0, -1)) {
      const mark = FENCE.exec(one)?.[1];
      if (!this.#fence && mark) this.#fence = mark;
      else if (this.#fence && mark && mark.startsWith(this.#fence) && one.trim() === mark) this.#fence = "";
      if (!this.#fence && !one.trim() && at > 0) return at + one.length + 1;
      at += one.length + 1;
    }
    return 0;
  }

  async #settle(block) {
    const place = document.createElement("div");
    place.textContent = block;
    if (this.#tail?.isConnected) this.#tail.before(place);
    else this.#live.append(place);
    try {
      const made = await part("/parts/markdown", { text: block });
      place.classList.add("settled", "prose");
      place.replaceChildren(made);
    } catch {
      // It stays as it was written, until the whole answer is there.
    }
  }
}
