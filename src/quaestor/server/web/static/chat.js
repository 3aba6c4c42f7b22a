// The conversation: asking, stopping, asking again. One turn at a time.
import { dress } from "./copying.js";
import { say } from "./saying.js";
import { call, opened, part } from "./server.js";
import { refreshSide } from "./sessions.js";
import { Turn } from "./turn.js";

const NEAR = 120;
const TRIES = 20;
const PAUSE = 150;
const FOLLOWING_PAUSE = 1000;

const thread = document.getElementById("thread");
const composer = document.getElementById("composer");
const field = document.getElementById("question");
const send = document.getElementById("send");
const stopping = document.getElementById("stop");
const newest = document.querySelector("[data-do=newest]");
let running = null;

/** Whether an answer is arriving. */
export function isRunning() {
  return running !== null;
}

/** End the answer that is arriving; what there is of it stays. */
export function stop() {
  running?.abort();
}

/** Go to the end of the conversation. */
export function goToNewest() {
  thread.scrollTop = thread.scrollHeight;
}

/** Ask the question of the last turn again. */
export async function again() {
  if (running) return;
  const last = [...thread.querySelectorAll(".turn")].at(-1);
  const question = last.querySelector(".question").textContent;
  if (!last.dataset.turn) {
    // What is not on record cannot be resumed.
    last.remove();
    await run(question, { question });
  } else if (last.dataset.state === "done") {
    await run(question, { question });
  } else {
    last.hidden = true;
    await run(question, { resume: true });
  }
  if (last.dataset.turn) await showAgain(last);
}

/** Ask a question. */
export async function ask(question) {
  if (running || !question.trim()) return;
  document.getElementById("welcome")?.remove();
  field.value = "";
  await run(question, { question });
}

export function begin() {
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(field.value);
  });
  field.addEventListener("keydown", (event) => {
    // While letters are being composed (Chinese, Japanese ...), Enter chooses one.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    composer.requestSubmit();
  });
  thread.addEventListener("scroll", showWay, { passive: true });
  new MutationObserver(() => {
    dress(thread);
    showWay();
  }).observe(thread, { childList: true, subtree: true });
  dress(thread);
  if (!location.hash) goToNewest();
  follow();
}

// A turn that was not over when the page was made: it goes on in another tab, or this very page left it a moment ago.
async function follow() {
  const unfinished = () => thread.querySelector(".turn:last-of-type:is([data-state=running], [data-state=unfinished])");
  for (let tries = 0; unfinished() && !running; tries += 1) {
    if (unfinished().dataset.state === "unfinished" && tries > 1) return;
    await pause(FOLLOWING_PAUSE);
    if (unfinished() && !running) await showAgain(unfinished()).catch(() => {});
  }
}

// Show a turn as the server has it by now.
async function showAgain(turn) {
  const stick = isAtEnd();
  turn.replaceWith(await part(`/sessions/${thread.dataset.session}/turns/${turn.dataset.turn}`));
  if (stick) goToNewest();
}

async function run(question, body) {
  running = new AbortController();
  busy(true);
  for (const button of thread.querySelectorAll("[data-do=again]")) button.remove();
  const turn = new Turn(thread, question);
  goToNewest();
  let problem = "";
  try {
    await arrive(turn, body);
  } catch (error) {
    const stopped = error.name === "AbortError";
    problem = stopped ? "You stopped this answer." : error.message;
    say(stopped ? "Stopped" : "The answer failed");
  }
  turn.end();
  try {
    if (!(await settle(turn))) turn.fail(problem || "This answer is not on record.");
  } catch (error) {
    turn.fail(problem || error.message);
  } finally {
    running = null;
    busy(false);
    refreshSide(thread.dataset.session).catch(() => {});
  }
}

async function arrive(turn, body) {
  const session = thread.dataset.session || (await patiently(turn, newSession));
  const listed = document.querySelector(`#conversations a[href$="/${session}"]`);
  const events = await patiently(turn, () => opened(`/api/sessions/${session}/turns`, body, running.signal));
  for await (const [name, data] of events) {
    if (name === "error") throw new Error(data.message);
    if (name === "searching" && !listed) refreshSide(session).catch(() => {});
    const stick = isAtEnd();
    turn.take(name, data);
    if (stick) goToNewest();
  }
}

// Do what cannot be done while a first index is being made as soon as it can be.
async function patiently(turn, work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error.status !== 503 || !error.wait) throw error;
      turn.wait(error.message);
      await pause(error.wait * 1000, running.signal);
    }
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function newSession() {
  const corpus = composer.elements.corpus;
  const { id } = await call("POST", "/api/sessions", corpus ? { corpus: corpus.value } : {});
  // A conversation stays with what it began with.
  if (corpus) corpus.disabled = true;
  thread.dataset.session = id;
  composer.elements.session.value = id;
  history.replaceState(null, "", `/sessions/${id}`);
  return id;
}

// Put what the server has on record in the place of what arrived, and return whether there is anything. A turn that was
// stopped is on record a moment later.
async function settle(turn) {
  if (!thread.dataset.session) return false;
  const path = `/sessions/${thread.dataset.session}/turns/last`;
  let made = await part(path);
  for (let tries = 0; /^(unfinished|running)$/.test(made.firstElementChild.dataset.state) && tries < TRIES; tries += 1) {
    await pause(PAUSE);
    made = await part(path);
  }
  const stick = isAtEnd();
  const article = made.firstElementChild;
  const { id, dataset: { state } } = article;
  if (document.getElementById(id)) return false;
  turn.article.replaceWith(made);
  if (stick) goToNewest();
  if (state === "done") say("The answer is complete");
  return true;
}

function busy(is) {
  send.hidden = is;
  stopping.hidden = !is;
  thread.setAttribute("aria-busy", String(is));
  // On a phone, attention to the field would bring up the keyboard over the answer.
  if (!is && matchMedia("(pointer: fine)").matches && (document.activeElement === document.body || document.activeElement === stopping)) field.focus();
}

function isAtEnd() {
  return thread.scrollHeight - thread.scrollTop - thread.clientHeight < NEAR;
}

function showWay() {
  newest.hidden = isAtEnd();
}
