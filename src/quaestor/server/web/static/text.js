// Text of files, models and people on its way to the screen. Only textContent is ever set to it.

// What would not be seen but acts; safe_text.py has the same.
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
const LONGEST = 160;

/** Text in which what acts without being seen is replaced. */
export function plain(text) {
  return String(text ?? "").toWellFormed().replaceAll("\r", "").replace(ACTS, "\ufffd");
}

/** The same with what stands in backticks as code; the backticks stay in the text, unseen. */
export function withCode(text) {
  return plain(text).split(/(`+[^`\n]{1,200}`+)/).map((words) => {
    const [, ticks, inside, after] = words.match(/^(`+)([^`]+)(`+)$/) ?? [];
    if (!ticks || ticks !== after) return words;
    const code = document.createElement("code");
    const tick = Object.assign(document.createElement("span"), { className: "tick", ariaHidden: "true", textContent: ticks });
    code.append(tick, inside, tick.cloneNode(true));
    return code;
  });
}

/** The same on one line, and not too long. */
export function line(text) {
  const words = plain(text).replace(/\s+/g, " ").trim();
  return words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
}

/** "1 passage", "2,000 passages". */
export function amount(number, noun) {
  return `${Number(number).toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** "about 970 words": tokens mean nothing to most people; three of them are two words, more or less. */
export function words(tokens) {
  return `about ${amount(Math.max(10, Math.round((Number(tokens) * 2) / 30) * 10), "word")}`;
}

/** What the server says, with lengths in words. */
export function inWords(message) {
  return plain(message).replace(/\b(\d[\d,]*) tokens\b/g, (_, tokens) => words(tokens.replaceAll(",", "")));
}

/** "8 s", "2 min 5 s". */
export function time(seconds) {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
