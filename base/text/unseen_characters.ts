// Characters that act on a text, or hide in it, without being seen: which they are, and how they are escaped or left out.
// One file for the service, the terminal and the page in the browser, so that a text shows the same in all of them.

/**
 * What moves a cursor or turns the text around it: control characters and overrides of the direction. Left out of text
 * that is only read. Characters without a shape stay there: they hide nothing that somebody decides by, and marks of the
 * direction, joiners and soft hyphens belong to ordinary writing.
 */
const CONTROLS = String.raw`\p{Cc}\u202a-\u202e\u2066-\u2069`;

/**
 * CONTROLS, separators of lines and halves of characters: what ends or bends a line that is quoted to a model or to a
 * parser. Characters without a shape stay: a model reads them, and must repeat a name exactly.
 */
const LINE_BREAKING = String.raw`${CONTROLS}\p{Zl}\p{Zp}\p{Cs}`;

/**
 * LINE_BREAKING and everything without a shape of its own: zero-width characters, marks of the direction, tags, fillers,
 * variation selectors. Escaped where a person decides by a text, or has only the line of a log.
 */
const SHAPELESS = String.raw`${LINE_BREAKING}\p{Cf}\p{Default_Ignorable_Code_Point}`;

/** Scripts that are written with joiners: in all others a joiner changes nothing, and only hides. */
const JOINED_SCRIPTS = [
  ..."Arabic Syriac Nko Adlam Mongolian".split(" "),
  ..."Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala".split(" "),
  ..."Myanmar Khmer Tibetan Javanese Balinese".split(" "),
].map((script) => String.raw`\p{scx=${script}}`).join("");

/** Before a class: only those of its characters that have a shape, which scripts do not promise. */
const SEEN = String.raw`(?![\p{Cf}\p{Default_Ignorable_Code_Point}])`;
const PICTURE = String.raw`\p{Extended_Pictographic}`;
const VARIATION = String.raw`\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;

/**
 * Where a shapeless character gives its neighbours their shape, it is seen in them: a joiner next to a letter of a
 * joined script or between two emoji, a variation selector after what has variants, and that of a keycap.
 */
const SHAPING = [
  String.raw`${SEEN}[${JOINED_SCRIPTS}][\u200c\u200d]`,
  String.raw`[\u200c\u200d](?=${SEEN}[${JOINED_SCRIPTS}])`,
  String.raw`${PICTURE}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d(?=${PICTURE})`,
  String.raw`${SEEN}[${PICTURE}\p{scx=Han}\p{Script=Mongolian}\p{Script=Myanmar}][${VARIATION}]`,
  String.raw`[0-9#*]\ufe0f(?=\u20e3)`,
].join("|");

// Made on first use: classes of Unicode take long to make, and many commands need none.
const unseen = onFirstUse(() => new RegExp(`[${SHAPELESS}](?<!${SHAPING})`, "gu"));
const lineBreaking = onFirstUse(() => new RegExp(`[${LINE_BREAKING}]`, "gu"));
const dropped = onFirstUse(() => new RegExp(String.raw`(?![\n\t])[${CONTROLS}]`, "gu"));

/**
 * Escape sequences: CSI; OSC, DCS and their kin with a printable content and their end; any other ESC with the character
 * it introduces. The classes exclude every control character, so that matching takes linear time.
 */
const ESCAPE_SEQUENCES =
  // deno-lint-ignore no-control-regex -- control characters are what this is about
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Characters that the place of a text shows, or that lay it out: they stay. */
export interface EscapeOptions {
  keep?: string;
}

/**
 * The text with everything that nobody would see in it escaped as JSON does: `\r`, `\u202e`, `\udb40\udc41`. Nothing is
 * left out.
 */
export function escapeUnseen(text: string, { keep = "" }: EscapeOptions = {}): string {
  return text.replaceAll(unseen(), (char) => keep.includes(char) ? char : toEscape(char));
}

/** The text with everything escaped that would end or turn a line; in the strings of JSON it stays the same JSON. */
export function escapeControls(text: string, { keep = "" }: EscapeOptions = {}): string {
  return text.replaceAll(lineBreaking(), (char) => keep.includes(char) ? char : toEscape(char));
}

/** The text without control characters and overrides of the direction. Line feeds and tabs stay. */
export function dropControls(text: string): string {
  return text.replaceAll(dropped(), "");
}

/** The text without the escape sequences of terminals: whole ones, not only their first character. */
export function dropEscapeSequences(text: string): string {
  return text.replaceAll(ESCAPE_SEQUENCES, "");
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function toEscape(char: string): string {
  const toHex = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return SHORT_ESCAPES[char] ?? char.split("").map(toHex).join("");
}

function onFirstUse<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => made ??= make();
}
