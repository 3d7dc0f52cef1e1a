// Bracketed paste and Alt+Enter: what a terminal sends for text of several lines, made into keys that edit one line.

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** Stands for a line break among keys, where one would send the line. */
export const LINE_BREAK_SIGN = "␤";
/** What terminals send for Alt+Enter: Esc and Enter in one piece. */
const ALT_ENTER = ["\u001b\r", "\u001b\n"];
/** Shorter beginnings of a mark are keys of their own. */
const SHORTEST_BEGINNING = 3;
/** Pasted control characters must not act as keys. */
const CONTROLS = /[^\P{Cc}\t]/gu;

/**
 * Turns what the terminal sends, in pieces of any size, into keys; line breaks of pastes and those of Alt+Enter are
 * marked, not pressed.
 */
export class PasteTranslator {
  #isPasting = false;
  #held = "";

  /** The keys of the next piece. The beginning of a mark is kept for the piece after it. */
  translate(piece: string): string {
    let rest = this.#held + piece;
    let keys = "";
    for (;;) {
      const mark = this.#isPasting ? PASTE_END : PASTE_START;
      const at = rest.indexOf(mark);
      if (at === -1) {
        const held = beginningLength(rest, mark);
        this.#held = rest.slice(rest.length - held);
        return keys + this.#toKeys(rest.slice(0, rest.length - held));
      }
      keys += this.#toKeys(rest.slice(0, at));
      rest = rest.slice(at + mark.length);
      this.#isPasting = !this.#isPasting;
    }
  }

  #toKeys(text: string): string {
    if (!this.#isPasting) {
      return ALT_ENTER.reduce((keys, pressed) => keys.replaceAll(pressed, LINE_BREAK_SIGN), text);
    }
    return text.replaceAll(/\r\n?|\n/g, LINE_BREAK_SIGN).replaceAll(CONTROLS, "");
  }
}

/** The text as keys that do not send it. */
export function markLineBreaks(text: string): string {
  return text.replaceAll("\n", LINE_BREAK_SIGN);
}

/** The edited line as the text that was meant. */
export function restoreLineBreaks(line: string): string {
  return line.replaceAll(LINE_BREAK_SIGN, "\n");
}

/** How many characters at the end of the text may be the beginning of the mark. */
function beginningLength(text: string, mark: string): number {
  for (let length = mark.length - 1; length >= SHORTEST_BEGINNING; length--) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  // A paste that ends in the middle of a line break is one line break.
  return mark === PASTE_END && text.endsWith("\r") ? 1 : 0;
}
