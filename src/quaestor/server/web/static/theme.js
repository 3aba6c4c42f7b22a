// Runs before anything is painted, so that a choice of dark or light does not flash.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden: then the system's choice stands.
}
