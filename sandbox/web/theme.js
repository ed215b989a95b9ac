// Runs before the page is drawn, so that it never flashes in the wrong theme.
"use strict";
try {
  const theme = localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch { /* storage is off: the system's theme holds */ }
