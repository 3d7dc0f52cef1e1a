// Keys that lead somewhere. They are single keys, so they can be switched off, and they rest while somebody writes.
import { type Route, toHash, WHOLE_HISTORY } from "./route.ts";

/** A key with what it does. */
export interface Shortcut {
  key: string;
  does: string;
  act: () => void;
}

const VIEWS: readonly { key: string; name: string; route: Exclude<Route, { view: "unknown" }> }[] =
  [
    { key: "n", name: "Now", route: { view: "now" } },
    { key: "a", name: "Agents", route: { view: "agents" } },
    { key: "h", name: "History", route: WHOLE_HISTORY },
    { key: "s", name: "Schedule", route: { view: "schedule" } },
    { key: "u", name: "Usage", route: { view: "usage", days: 30 } },
    { key: "l", name: "Log", route: { view: "log" } },
  ];

/** The views that the page leads to, in the order of its navigation. */
export const NAVIGATION = VIEWS;

/** All keys. */
export function createShortcuts(
  page: { openHelp: () => void; changeTheme: () => void },
): Shortcut[] {
  return [
    ...VIEWS.map(({ key, name, route }) => ({
      key,
      does: `Go to ${name}`,
      act: () => {
        location.hash = toHash(route);
      },
    })),
    { key: "/", does: "Go to the filter", act: focusFilter },
    { key: "t", does: "Change the theme", act: page.changeTheme },
    { key: "?", does: "Show this help", act: page.openHelp },
  ];
}

/** Whether a key press is meant for what has the focus, or for the browser. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector("dialog[open]") !== null) return false;
  const { target } = event;
  return !(target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable]") !== null);
}

function focusFilter(): void {
  document.querySelector<HTMLElement>("[data-filter]")?.focus();
}
