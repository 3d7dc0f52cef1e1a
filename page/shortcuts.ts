// Keys that lead somewhere. They are single keys, so they can be switched off, and they rest while somebody writes.

/** A key with what it does. */
export interface Shortcut {
  key: string;
  does: string;
  act: () => void;
  /** Whether it means something where the focus is; a key that means two things means the first that does. */
  isMeant?: () => boolean;
}

const VIEWS = [
  { key: "n", name: "Now", hash: "#/" },
  { key: "a", name: "Agents", hash: "#/agents" },
  { key: "c", name: "Chat", hash: "#/chat" },
  { key: "h", name: "History", hash: "#/history" },
  { key: "s", name: "Schedule", hash: "#/schedule" },
  { key: "u", name: "Usage", hash: "#/usage" },
  { key: "l", name: "Log", hash: "#/log" },
] as const;

/** The views that the page leads to, in the order of its navigation. */
export const NAVIGATION = VIEWS;

/** What they do to the approval that has the focus, or holds it: its buttons have them, too. */
const CARD_KEYS = [
  { key: "y", does: "In an approval: approve" },
  { key: "n", does: "In an approval: deny" },
  { key: "e", does: "In an approval: edit the arguments" },
] as const;

function currentCard(): Element | null {
  return document.activeElement?.closest('[data-request="confirm"]') ?? null;
}

/** All keys. */
export function createShortcuts(
  page: { openHelp: () => void; openPalette: () => void; changeTheme: () => void },
): Shortcut[] {
  return [
    ...CARD_KEYS.map(({ key, does }) => ({
      key,
      does,
      act: () => currentCard()?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.click(),
      isMeant: () => currentCard() !== null,
    })),
    ...VIEWS.map(({ key, name, hash }) => ({
      key,
      does: `Go to ${name}`,
      act: () => void (location.hash = hash),
    })),
    { key: "/", does: "Go to the filter", act: focusFilter },
    {
      key: "j",
      does: "Go to the next row or question; Enter opens a row",
      act: () => moveInList(1),
    },
    { key: "k", does: "Go to the row or question before", act: () => moveInList(-1) },
    { key: "t", does: "Change the theme", act: page.changeTheme },
    { key: "?", does: "Show this help", act: page.openHelp },
    { key: "Ctrl+K", does: "Find an agent, a view or an action", act: page.openPalette },
  ];
}

/** Whether a press of keys asks for the palette. With Ctrl it is no single key, so it works while somebody writes. */
export function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !shiftKey;
}

/** Whether a key press is meant for what has the focus, or for the browser. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector("dialog[open]") !== null) return false;
  const { target } = event;
  return !(target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable]") !== null);
}

/**
 * In a conversation what is typed belongs to the message, wherever the focus is: moves it there, so that the character is
 * written. Returns whether the key was such a character.
 */
export function isForMessage({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const message = document.querySelector<HTMLElement>("main [data-message]");
  if (message === null || ctrlKey || metaKey || altKey || [...key].length !== 1) return false;
  // A space presses the button that has the focus, and scrolls.
  if (key !== " ") message.focus();
  return true;
}

/** Moves the focus among the rows of the view's lists, from the one that has it or holds it. */
function moveInList(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const { activeElement } = document;
  const rowOf = (element: Element) => element.closest("li, tr, section") ?? element;
  const here = rows.findIndex((row) =>
    row === activeElement || (activeElement !== null && rowOf(row).contains(activeElement))
  );
  const next = here === -1 ? (step === 1 ? 0 : rows.length - 1) : here + step;
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: "nearest" });
}

function focusFilter(): void {
  document.querySelector<HTMLElement>("[data-filter]")?.focus();
}
