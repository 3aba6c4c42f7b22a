// The conversation: asking, stopping, asking again, and following an answer that another tab, or this one before, asked for.
import { say } from "./announce.js";
import { busyWhile } from "./busy.js";
import * as choices from "./choices.js";
import { dress } from "./copy.js";
import { Draft } from "./draft.js";
import { call, events, opened, part } from "./server.js";
import { refreshSide } from "./sessions.js";
import { localTimes } from "./times.js";
import { Turn } from "./turn.js";

const NEAR = 120;
const LONGEST_PAUSE = 10_000;
const MOST_SHOWN = 400;
const WAITING = "waiting";
const BUSY = "The previous answer is still being written. Wait for it to finish, or stop it, then send this.";
const AWAY = "The server cannot be reached. Your question stays here; send it when the connection is back.";
const GONE = "This conversation is no longer there: it was deleted, perhaps in another tab. Your question is kept below. Send it to begin a new conversation.";

const thread = document.getElementById("thread");
const composer = document.getElementById("composer");
const field = document.getElementById("question");
const send = document.getElementById("send");
const stopping = document.getElementById("stop");
const refused = document.getElementById("refused");
const newest = document.querySelector("[data-do=newest]");
// What other tabs are told: which conversation has a new turn.
const tabs = "BroadcastChannel" in window ? new BroadcastChannel("turns") : null;
// The forms that are not on the page, each by what it belongs to.
const away = new WeakMap();
let draft;
// The turn that is arriving, with what ends the wait for it.
let running = null;
let looking = false;

/** Whether an answer is arriving. */
export function isRunning() {
  return running !== null;
}

/** End the answer that is arriving; what there is of it stays. */
export async function stop() {
  if (!running) return;
  running.turn.doing("Stopping");
  running.stopped = true;
  const { abort, begun } = running;
  // The stream of an answer that is stopped ends by itself.
  if (begun && (await call("DELETE", `/api/sessions/${thread.dataset.session}/turns/running`).then(() => true, () => false))) return;
  abort.abort();
}

/** Go to the end of the conversation. */
export function goToNewest() {
  thread.scrollTop = thread.scrollHeight;
}

/** Ask the question of the last turn again. */
export async function again(button) {
  if (running) return;
  const last = button.closest(".turn");
  const question = last.querySelector(".question").textContent;
  if (last.dataset.state === "done" || !last.dataset.turn) return run(question, { question, ...limits() });
  last.hidden = true;
  await run(question, { resume: true, ...limits() }, last.dataset.turn - 1);
}

/** Put the question of a turn into the field, to be asked otherwise. */
export function edit(button) {
  field.focus();
  field.select();
  // As if it had been typed, so that what stood there comes back with Ctrl-Z.
  document.execCommand("insertText", false, button.closest(".turn").querySelector(".question").textContent);
}

/** Ask a question. */
export async function ask(question) {
  if (!question.trim()) return;
  if (running) return refuse("", running.lost ? AWAY : BUSY);
  if (choices.areAttaching()) return refuse("", choices.ATTACHING);
  document.getElementById("welcome")?.remove();
  field.value = "";
  document.getElementById("limits").open = false;
  await run(question, { question, ...limits() });
}

// Which documents a question is about, where the person says so.
function limits() {
  const said = (name) => composer.elements[name].value.trim();
  const list = (name) => said(name).split(/[\s,]+/).filter(Boolean);
  const by = said("by");
  return { path: list("path"), language: list("language"), since: said("since"), before: said("before"), by: by ? [by] : [], model: choices.model() };
}

function showLimits() {
  const number = Object.entries(limits()).filter(([name, one]) => name !== "model" && one.length).length;
  document.querySelector("#limits summary").textContent = number ? `Filter (${number})` : "Filter";
}

export function begin() {
  draft = new Draft(field, () => thread.dataset.session || "new");
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
  field.addEventListener("input", () => (refused.hidden = true));
  document.getElementById("limits").addEventListener("input", showLimits);
  document.getElementById("limits").addEventListener("change", showLimits);
  showLimits();
  thread.addEventListener("scroll", showWay, { passive: true });
  new MutationObserver(() => {
    dress(thread);
    showWay();
  }).observe(thread, { childList: true, subtree: true });
  dress(thread);
  putAway(thread);
  const last = lastTurn();
  if (last && !location.hash) goTo(last);
  followIfRunning();
  addEventListener("load", growBack);
  tabs?.addEventListener("message", ({ data }) => data === thread.dataset.session && lookAgain());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && lookAgain());
  addEventListener("pageshow", (event) => event.persisted && lookAgain());
  addEventListener("focus", lookAgain);
  askWhatWaited();
  offerStarters();
  thread.addEventListener("click", takeOut);
  thread.addEventListener("submit", keepFeedback);
  choices.begin(offerStarters, refuse);
}

// Earlier turns come piece by piece while nothing else is to do, so that all of a conversation is found and scrolled to.
async function growBack() {
  const idle = () => new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  let moved = Boolean(location.hash);
  for (const act of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    addEventListener(act, () => (moved = true), { once: true, passive: true });
  }
  addEventListener("hashchange", () => (moved = true), { once: true });
  while (thread.querySelector(".earlier") && thread.querySelectorAll(".turn").length < MOST_SHOWN) {
    await idle();
    const first = thread.querySelector(".turn");
    const made = await part(`/sessions/${thread.dataset.session}/turns?before=${first.dataset.turn}`).catch(() => null);
    if (!made?.firstElementChild) return;
    localTimes(made);
    putAway(made);
    // What is read stays where it is; that browsers see to it by themselves would count twice.
    thread.classList.add("growing");
    const top = thread.getBoundingClientRect().top;
    const read = [...thread.querySelectorAll(".turn")].find((turn) => turn.getBoundingClientRect().bottom > top) ?? first;
    const place = read.getBoundingClientRect().top;
    first.before(made);
    thread.scrollTop += read.getBoundingClientRect().top - place;
    thread.classList.remove("growing");
    showEarlier(Number(thread.querySelector(".turn").dataset.turn));
    // Turns out of sight get their true height only when they are drawn; until somebody moves, the newest stays in view.
    await drawn();
    if (!moved) goTo(lastTurn());
  }
}

function showEarlier(first) {
  const earlier = thread.querySelector(".earlier");
  if (first === 1) return earlier.remove();
  earlier.firstElementChild.href = `/sessions/${thread.dataset.session}?start=${Math.max(1, first - 20)}#turn-${first}`;
}

// With each form that comes, a browser that fills in forms looks at all that there are, and draws for it what is out of
// sight: of hundreds of turns, half a second. A form is on the page once it is opened.
function putAway(root) {
  for (const form of root.querySelectorAll(".feedback:not([open]) > form")) {
    away.set(form.parentElement, form);
    form.remove();
  }
}

function takeOut(event) {
  const closed = event.target.closest(".feedback > summary")?.parentElement;
  if (!away.has(closed)) return;
  closed.append(away.get(closed));
  away.delete(closed);
}

// What is said of an answer is kept without leaving the page.
async function keepFeedback(event) {
  const form = event.target.closest("[data-feedback]");
  if (!form) return;
  event.preventDefault();
  const useful = form.elements.useful.value === "yes";
  const words = form.elements.words.value;
  try {
    await busyWhile(event.submitter, call("PUT", `/api${new URL(form.action).pathname}`, { useful, words }));
  } catch (error) {
    return refuse("", error.message);
  }
  const details = form.closest("details");
  details.open = false;
  details.querySelector("summary span").textContent = useful ? "Useful" : "Not useful";
  details.querySelector("summary").focus();
  say("Kept with this conversation");
}

// What a corpus can be asked to begin with; there is nothing to offer while it is indexed for the first time.
async function offerStarters() {
  const place = document.getElementById("starters");
  if (!place) return;
  const about = new URLSearchParams(choices.corpora().map((name) => ["corpus", name]));
  const made = await part(`/parts/starters?${about}`).catch(() => null);
  if (made) place.replaceChildren(made);
}

// A question that waited for the first index when the page was reloaded.
function askWhatWaited() {
  const question = inTab(() => sessionStorage.getItem(WAITING));
  if (!question || thread.dataset.session) return;
  inTab(() => sessionStorage.removeItem(WAITING));
  if (field.value === question) ask(question);
}

function inTab(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

async function run(question, body, after) {
  const { turn, abort } = start(question);
  refused.hidden = true;
  goTo(turn.article);
  draft.keep(question);
  let stream;
  try {
    stream = await asked(turn, body, abort.signal);
  } catch (error) {
    await giveBack(question, error);
    return;
  }
  running.begun = true;
  draft.keep(field.value);
  tabs?.postMessage(thread.dataset.session);
  await arrive(stream, after);
}

// Begin to show a turn, in the place of an article or at the end.
function start(question, place = null) {
  running = { turn: new Turn(thread, question, place), abort: new AbortController(), begun: false, stopped: false, lost: false };
  busy(true);
  mark(running.turn.article);
  return running;
}

async function asked(turn, body, signal) {
  const session = thread.dataset.session || (await patiently(turn, newSession));
  return patiently(turn, () => opened(`/api/sessions/${session}/turns`, body, signal));
}

// A question that was refused goes back to where it was written, with the reason.
async function giveBack(question, error) {
  const { turn, stopped } = running;
  turn.end();
  turn.article.remove();
  over();
  for (const one of thread.querySelectorAll(".turn[hidden]")) one.hidden = false;
  let message = stopped ? "" : error.message;
  if (error.status === 404 && thread.dataset.session) {
    message = GONE;
    leave();
  }
  refuse(question, message);
  if (error.status === 409) await lookAgain();
}

// What was said stays to be read; what is asked next begins a new conversation.
function leave() {
  thread.dataset.session = "";
  history.replaceState(null, "", "/");
  for (const turn of thread.querySelectorAll(".turn")) {
    turn.removeAttribute("id");
    delete turn.dataset.turn;
    turn.querySelector(".turn-foot")?.remove();
  }
}

function refuse(question, message) {
  if (question) field.value = [question, field.value].filter((text) => text.trim()).join("\n\n");
  draft.keep();
  refused.hidden = !message;
  refused.firstElementChild.textContent = message;
  if (message) say(message);
}

// Show a turn as its events arrive, however often the connection is lost, and then as it is on record.
async function arrive(stream, after) {
  const { turn, abort } = running;
  for (let pause = 1000; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      if (stream) await take(turn, stream);
      await settle(turn, after);
      break;
    } catch (error) {
      if (error.status || abort.signal.aborted) {
        turn.end();
        turn.fail(error.status === 404 ? "This conversation was deleted, perhaps in another tab." : error.message);
        break;
      }
      running.lost = true;
      turn.doing("The connection was lost; trying to reconnect");
      await wait(pause, abort.signal);
      stream = await goingOn().catch(() => null);
      if (!stream) continue;
      running.lost = false;
      turn.restart();
    }
  }
  over();
  refreshSide(thread.dataset.session).catch(() => {});
}

async function take(turn, stream) {
  const session = thread.dataset.session;
  const listed = document.querySelector(`#conversations a[href$="/${session}"]`);
  for await (const [name, data] of stream) {
    if (name === "searching" && !listed) refreshSide(session).catch(() => {});
    // What failed is on record with its reason.
    if (name !== "error") turn.take(name, data);
  }
}

function over() {
  running = null;
  busy(false);
}

// Do what cannot be done while a first index is being made as soon as it can be.
async function patiently(turn, work) {
  const { signal } = running.abort;
  for (;;) {
    try {
      const found = await work();
      inTab(() => sessionStorage.removeItem(WAITING));
      return found;
    } catch (error) {
      if (error.status !== 503 || !error.wait) throw error;
      inTab(() => sessionStorage.setItem(WAITING, turn.question));
      turn.doing(`${error.message} Your question will be answered as soon as possible`);
      await wait(error.wait * 1000, signal);
      if (signal.aborted) throw signal.reason;
    }
  }
}

// Wait, but no longer than until the network, or the person, is there again.
function wait(milliseconds, signal) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    addEventListener("online", resolve, { once: true });
    signal?.addEventListener("abort", resolve, { once: true });
  });
}

async function newSession() {
  const corpora = choices.corpora();
  const { id } = await call("POST", "/api/sessions", corpora.length ? { corpora } : {});
  choices.fix();
  draft.keep("");
  thread.dataset.session = id;
  draft.keep(running.turn.question);
  composer.elements.session.value = id;
  history.replaceState(null, "", `/sessions/${id}`);
  return id;
}

// Put what the server has on record in the place of what arrived.
async function settle(turn, after) {
  const place = thread.scrollTop;
  const made = await newTurns(after);
  const state = made.querySelector(".turn:last-of-type")?.dataset.state;
  turn.end();
  if (!state) return turn.fail("This answer is not on record.");
  turn.article.remove();
  put(made);
  thread.scrollTop = place;
  if (state === "done") say("The answer is complete");
  if (state === "cancelled") say("Stopped");
  return followIfRunning(true);
}

// See what became of the conversation elsewhere; one look at a time.
async function lookAgain() {
  if (running || looking || !thread.dataset.session) return;
  looking = true;
  try {
    const made = await newTurns().catch(() => null);
    const [last, fresh] = [lastTurn(), made?.querySelector(".turn:last-of-type")];
    if (!fresh || running) return;
    // What has not changed stays as it is read.
    if (fresh.id !== last?.id || fresh.dataset.state !== last.dataset.state) {
      put(made);
      goTo(lastTurn());
    }
    await followIfRunning();
  } finally {
    looking = false;
  }
}

// The turns that are not shown yet, or not as they are by now.
function newTurns(after) {
  const last = [...thread.querySelectorAll(".turn[data-turn]")].at(-1);
  const settled = last && !/^(running|unfinished)$/.test(last.dataset.state);
  const from = after ?? (last ? last.dataset.turn - (settled ? 0 : 1) : 0);
  return part(`/sessions/${thread.dataset.session}/turns?after=${from}`);
}

function put(made) {
  localTimes(made);
  putAway(made);
  document.getElementById("welcome")?.remove();
  for (const one of made.querySelectorAll(".turn")) document.getElementById(one.id)?.remove();
  // Only the last question is asked again as it is.
  if (made.querySelector(".turn")) for (const button of thread.querySelectorAll("[data-do=again]")) button.remove();
  thread.append(made);
  mark(lastTurn());
}

// Follow the last turn if it goes on; it may have been asked for in another tab, or before this page was opened.
async function followIfRunning(within = false) {
  const last = lastTurn();
  if ((running && !within) || last?.dataset.state !== "running") return;
  const stream = await goingOn().catch(() => null);
  start(last.querySelector(".question").textContent, last);
  running.begun = true;
  running.turn.since(Number(last.dataset.seconds) || 0);
  await arrive(stream, last.dataset.turn - 1);
}

// The events of the turn that goes on; null if none does by now.
function goingOn() {
  return events(`/api/sessions/${thread.dataset.session}/turns/running`);
}

function lastTurn() {
  return [...thread.querySelectorAll(".turn")].at(-1);
}

// The turn that is read takes the whole view at least, so that its question can stand at the top.
function mark(article) {
  for (const one of thread.querySelectorAll(".turn.current")) one.classList.remove("current");
  article?.classList.add("current");
}

function goTo(article) {
  thread.scrollTop += article.getBoundingClientRect().top - thread.getBoundingClientRect().top - parseFloat(getComputedStyle(thread).paddingTop);
}

function busy(is) {
  send.hidden = is;
  stopping.hidden = !is;
  thread.setAttribute("aria-busy", String(is));
  // On a phone, attention to the field would bring up the keyboard over the answer.
  if (!is && matchMedia("(pointer: fine)").matches && (document.activeElement === document.body || document.activeElement === stopping)) field.focus();
}

function showWay() {
  newest.hidden = thread.scrollHeight - thread.scrollTop - thread.clientHeight < NEAR;
}
