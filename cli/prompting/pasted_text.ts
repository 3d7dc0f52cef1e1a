// Translates bracketed pastes and Alt+Enter into keys that insert line breaks instead of sending the line.

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** The character that replaces a line break, which would send the line. */
export const LINE_BREAK_SIGN = "␤";
/** The input of Alt+Enter: Esc and Enter in one piece. */
const ALT_ENTER = ["\u001b\r", "\u001b\n"];
/** A shorter beginning of a mark is a key of its own. */
const SHORTEST_BEGINNING = 3;
/** Control characters in a paste, which must not act as keys. */
const CONTROLS = /[^\P{Cc}\t]/gu;

/** Translates the terminal's input, in pieces of any size, into keys with signs for the line breaks of pastes and Alt+Enter. */
export class PasteTranslator {
  #isPasting = false;
  #held = "";

  /** Converts the next piece of input to keys. Keeps an incomplete paste marker for the next call. */
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

/** Replaces line breaks by signs. */
export function markLineBreaks(text: string): string {
  return text.replaceAll("\n", LINE_BREAK_SIGN);
}

/** Replaces the signs in an edited line by line breaks. */
export function restoreLineBreaks(line: string): string {
  return line.replaceAll(LINE_BREAK_SIGN, "\n");
}

/** Returns the number of characters at the end of the text that may be the beginning of the mark. */
function beginningLength(text: string, mark: string): number {
  for (let length = mark.length - 1; length >= SHORTEST_BEGINNING; length--) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  // The next piece may contain the second half of this line break.
  return mark === PASTE_END && text.endsWith("\r") ? 1 : 0;
}
