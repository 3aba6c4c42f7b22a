// What was pressed shows at once that it was, however long the server takes.

/** Mark what was pressed until some work is done. */
export async function busyWhile(pressed, work) {
  pressed?.setAttribute("aria-busy", "true");
  try {
    return await work;
  } finally {
    pressed?.removeAttribute("aria-busy");
  }
}

/** Open a dialog above all else. */
export function openAbove(dialog) {
  // With a caret below it, the browser would search all of a conversation for another place for it, in each frame anew.
  getSelection().removeAllRanges();
  dialog.showModal();
}

/** Mark what leads to another page, until the person comes back to this one. */
export function markWhatLeaves() {
  addEventListener("click", (event) => leads(event.target.closest("a[href]")) && mark(event, event.target.closest("a")));
  addEventListener("submit", (event) => event.target.method !== "dialog" && mark(event, event.submitter));
  addEventListener("pageshow", () => {
    for (const one of document.querySelectorAll("[data-leaves]")) {
      delete one.dataset.leaves;
      one.removeAttribute("aria-busy");
    }
  });
}

function leads(link) {
  if (!link || link.target || link.hasAttribute("download") || !link.protocol.startsWith("http")) return false;
  return !link.hash || link.pathname !== location.pathname || link.search !== location.search;
}

function mark(event, pressed) {
  if (!pressed || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  pressed.dataset.leaves = "";
  pressed.setAttribute("aria-busy", "true");
}
