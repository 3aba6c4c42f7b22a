// Requests to the server that the page came from.
import { inWords } from "./text.js";
import { localTimes } from "./times.js";

/** Something that the server refused or could not do, in words for people. */
export class Failure extends Error {
  constructor(message, status, wait = 0) {
    super(message);
    this.status = status;
    /** Seconds after which asking again helps; 0 if that is not known. */
    this.wait = wait;
  }
}

/** Ask for JSON; a body of FormData is sent as it is, any other as JSON. */
export async function call(method, path, body) {
  const answer = await request(path, sent(method, body));
  return answer.status === 204 ? null : answer.json();
}

/** Post a form with files, and get JSON; `sending` is told the share of it that has left, each time that it grows. */
export function upload(path, form, signal, sending) {
  const request = new XMLHttpRequest(); // fetch does not tell how much has left
  const answered = new Promise((resolve, reject) => {
    request.upload.addEventListener("progress", ({ loaded, total }) => sending(loaded / total));
    request.addEventListener("error", () => reject(unreachable()));
    request.addEventListener("abort", () => reject(signal.reason));
    request.addEventListener("load", () => {
      const { status, responseText: body } = request;
      if (status < 400) resolve(body);
      else reject(refusal(status, body, request.getResponseHeader("retry-after")));
    });
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", path);
    request.send(form);
  });
  return answered.then(JSON.parse);
}

/** Ask for a piece of HTML that the server made, as nodes; scripts in it would not run. */
export async function part(path, body) {
  const answer = await request(path, body === undefined ? {} : sent("POST", body));
  const holder = document.createElement("template");
  holder.innerHTML = await answer.text();
  return holder.content;
}

/** Ask for plain text. */
export async function text(path) {
  return (await request(path, {})).text();
}

/** Put pieces that the server made in the place of those with the same ids. */
export async function refresh(path) {
  const made = await part(path);
  localTimes(made);
  for (const fresh of [...made.children]) {
    document.getElementById(fresh.id)?.replaceWith(fresh);
  }
}

/** Send JSON and get a stream of events, [name, data] each; it is there once the server has let it begin. */
export async function opened(path, body, signal) {
  return read(await request(path, { ...sent("POST", body), signal }));
}

/** Ask for a stream of events that goes on already; null if there is none. */
export async function events(path) {
  const answer = await request(path, {});
  return answer.status === 204 ? null : read(answer);
}

async function* read(answer) {
  let held = "";
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    const whole = (held + text).split("\n\n");
    held = whole.pop();
    yield* whole.map(parsed).filter(([, data]) => data !== null);
  }
}

function parsed(event) {
  let name = "message";
  const data = [];
  for (const field of event.split("\n")) {
    if (field.startsWith("event:")) name = field.slice(6).trim();
    if (field.startsWith("data:")) data.push(field.slice(5));
  }
  return [name, data.length ? JSON.parse(data.join("\n")) : null];
}

function sent(method, body) {
  if (body === undefined || body instanceof FormData) return { method, body };
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function request(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (answer.ok) return answer;
  throw refusal(answer.status, await answer.text().catch(() => ""), answer.headers.get("retry-after"));
}

function unreachable() {
  return new Failure("The server cannot be reached. Is it still running?", 0);
}

// Who is not logged in any more is led to where one logs in.
function refusal(status, body, wait) {
  if (status === 401) location.assign(`/log-in?next=${encodeURIComponent(location.pathname)}`);
  let said;
  try {
    said = JSON.parse(body).error?.message;
  } catch {
    // A proxy's page, or nothing.
  }
  return new Failure(inWords(said || `The server answered ${status}.`), status, Number(wait) || 0);
}
