// The program of each page: the choice of the theme, copy buttons, and search. Pages work without it, too.
import { addCopyButtons } from "./copy.ts";
import { addSearch } from "./search.ts";
import { addThemeButton, applyTheme } from "./theme.ts";

// Before the page is drawn.
applyTheme();
addEventListener("DOMContentLoaded", () => {
  addThemeButton();
  addCopyButtons();
  addSearch();
});
