// Defines the keyboard shortcuts. Each shortcut is a single key. A setting turns all shortcuts off, and they are inactive
// in text fields.

/** A key, its description and its action. */
export interface Shortcut {
  key: string;
  does: string;
  act: () => void;
  /**
   * Returns true if the shortcut applies to the focused element. Of several shortcuts with the same key, the first that
   * applies is used.
   */
  isMeant?: () => boolean;
}

/** The views in the order of the navigation. */
export const NAVIGATION = [
  { key: "n", name: "Now", hash: "#/" },
  { key: "a", name: "Agents", hash: "#/agents" },
  { key: "c", name: "Chat", hash: "#/chat" },
  { key: "h", name: "History", hash: "#/history" },
  { key: "s", name: "Schedule", hash: "#/schedule" },
  { key: "u", name: "Usage", hash: "#/usage" },
  { key: "w", name: "Audit", hash: "#/audit" },
  { key: "l", name: "Log", hash: "#/log" },
] as const;

/** The keys that press the buttons of the focused approval. */
const CARD_KEYS = [
  { key: "y", does: "In an approval: approve (twice for a call that deletes or sends)" },
  { key: "d", does: "In an approval: deny" },
  { key: "e", does: "In an approval: edit the arguments" },
] as const;

function currentCard(): Element | null {
  return document.activeElement?.closest('[data-request="confirm"]') ?? null;
}

/** The actions of the page that shortcuts call. */
interface PageActions {
  openHelp: () => void;
  openPalette: () => void;
  changeTheme: () => void;
  announce: (sentence: string) => void;
  /** The card for which `y` was pressed once, if its call needs a second press. */
  armed: { current: Element | null };
}

/** Presses a button of the focused card. Approving a call that deletes or sends something needs a second press. */
function pressCardButton(key: string, { armed, announce }: PageActions): void {
  const card = currentCard();
  if (key === "y" && card?.hasAttribute("data-careful") && armed.current !== card) {
    armed.current = card;
    return announce(`Press y again to approve ${card.getAttribute("data-careful")}.`);
  }
  armed.current = null;
  card?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.click();
}

/** Returns all shortcuts in the order in which they are tried. */
export function createShortcuts(page: PageActions): Shortcut[] {
  return [
    ...CARD_KEYS.map(({ key, does }) => ({
      key,
      does,
      act: () => pressCardButton(key, page),
      isMeant: () => currentCard() !== null,
    })),
    ...NAVIGATION.map(({ key, name, hash }) => ({
      key,
      does: `Go to ${name}`,
      act: () => void (location.hash = hash),
    })),
    { key: "/", does: "Search", act: () => focusFilter(page.openPalette) },
    {
      key: "j",
      does: "Go to the next row or question; Enter opens a row",
      act: () => moveInList(1),
    },
    { key: "k", does: "Go to the previous row or question", act: () => moveInList(-1) },
    { key: "t", does: "Change the theme", act: page.changeTheme },
    { key: "?", does: "Show this help", act: page.openHelp },
    { key: "Ctrl+K", does: "Find an agent, a view or an action", act: page.openPalette },
  ];
}

/**
 * Returns true for Ctrl+K or Cmd+K, which opens the palette. Unlike single keys, this combination also works in text
 * fields.
 */
export function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !shiftKey;
}

/** Returns true if a key press is for the page, not for a field, an open dialog or the browser. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector("dialog[open]") !== null) return false;
  const { target } = event;
  return !(target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable], [data-editor]") !== null);
}

/**
 * Returns true if a key press is a character for the message field of a conversation. Moves the focus there, so that the
 * browser writes the character.
 */
export function isForMessage({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const message = document.querySelector<HTMLElement>("main [data-message]");
  if (message === null || ctrlKey || metaKey || altKey || [...key].length !== 1) return false;
  // A space stays with the focused element, because it presses a button or scrolls the page.
  if (key !== " ") message.focus();
  return true;
}

/** Moves the focus to the next or previous row of the view's lists. */
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

/** Moves the focus to the search field of the view. Calls `otherwise` in a view without one. */
function focusFilter(otherwise: () => void): void {
  const field = document.querySelector<HTMLElement>("[data-filter]");
  if (field === null) otherwise();
  else field.focus();
}
