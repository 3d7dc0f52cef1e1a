// The script of each page: the choice of the theme, copy buttons, and search. The pages are readable without this script.
import { addCopyButtons } from "./copy.ts";
import { addSearch } from "./search.ts";
import { addThemeButton, applyTheme } from "./theme.ts";

// Apply the theme before the page is drawn.
applyTheme();
addEventListener("DOMContentLoaded", () => {
  addThemeButton();
  addCopyButtons();
  addSearch();
});
