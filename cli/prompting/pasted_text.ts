// Translates terminal input: line breaks of pasted texts, and Alt+Enter, become a sign in the line. Without the
// translation, a line break would send the line.

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** The sign in an edited line that stands for a line break. A real line break would send the line. */
export const LINE_BREAK_SIGN = "␤";
/** The input that terminals send for Alt+Enter: Esc and Enter together. */
const ALT_ENTER = ["\u001b\r", "\u001b\n"];
/** The minimum length of an incomplete paste marker. A shorter text is a pressed key, such as Esc. */
const SHORTEST_BEGINNING = 3;
/** Matches control characters in a pasted text. They are removed, so that they do not act as keys. */
const CONTROLS = /[^\P{Cc}\t]/gu;

/** Translates terminal input into keys. The input may be split anywhere. */
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

/** Replaces line breaks with LINE_BREAK_SIGN. */
export function markLineBreaks(text: string): string {
  return text.replaceAll("\n", LINE_BREAK_SIGN);
}

/** Replaces LINE_BREAK_SIGN with line breaks. */
export function restoreLineBreaks(line: string): string {
  return line.replaceAll(LINE_BREAK_SIGN, "\n");
}

/** Returns the number of characters at the end of the text that may be the beginning of the paste marker. */
function beginningLength(text: string, mark: string): number {
  for (let length = mark.length - 1; length >= SHORTEST_BEGINNING; length--) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  // Keeps a carriage return at the end, because the next piece may begin with the line feed of the same line break.
  return mark === PASTE_END && text.endsWith("\r") ? 1 : 0;
}
