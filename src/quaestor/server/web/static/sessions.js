// The list of conversations: other names for them, and their end.
import { confirmed, written } from "./ask.js";
import { say } from "./announce.js";
import { call, refresh } from "./server.js";
import { plain } from "./text.js";

/** Give a conversation another name. */
export async function rename(row) {
  const title = await written("Rename the conversation", "Rename", row.dataset.title);
  if (!title) return;
  await call("PATCH", `/api/sessions/${row.dataset.session}`, { title });
  row.dataset.title = title;
  const link = row.querySelector(".what a");
  if (link) link.textContent = plain(title);
  say("Renamed");
  await refreshSide(row.dataset.session);
}

/** Delete a conversation, if that is meant. */
export async function remove(row) {
  if (!(await confirmed(`Delete “${row.dataset.title || "New conversation"}” for good?`, "Delete"))) return;
  await call("DELETE", `/api/sessions/${row.dataset.session}`);
  if (row.id === "actions") {
    location.assign("/");
    return;
  }
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  (next?.querySelector("a") ?? document.getElementById("main")).focus();
  say("Deleted");
  await refreshSide("");
}

/** Show at the side, and above, what is called otherwise now. */
export async function refreshSide(session) {
  const shown = document.getElementById("thread") ? session : "";
  await refresh(`/parts/side?session=${encodeURIComponent(shown)}`);
  if (shown) document.title = `${document.getElementById("heading").textContent} · Quaestor`;
}
