// The theme: as the system's, unless the reader chooses another.

const KEY = "inkling-docs-theme";
type Theme = "light" | "dark";

/** Applies the reader's choice. */
export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === undefined) delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Shows the button that switches between light and dark. */
export function addThemeButton(): void {
  const button = document.getElementById("theme");
  if (button === null) return;
  const show = () => {
    button.textContent = currentTheme() === "dark" ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    const theme: Theme = currentTheme() === "dark" ? "light" : "dark";
    document.documentElement.dataset["theme"] = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch { /* The browser stores nothing: the choice is for this page. */ }
    show();
  });
  show();
  button.hidden = false;
}

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  if (theme === "light" || theme === "dark") return theme;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function chosenTheme(): Theme | undefined {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : undefined;
  } catch {
    return undefined;
  }
}
