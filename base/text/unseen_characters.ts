// Defines classes of invisible characters that change a text or hide in it, and escapes or removes them. The service, the
// terminal and the page use this file, so that all show a text alike.

/**
 * Characters that move a cursor or reverse the surrounding text: control characters and direction overrides. They
 * are removed from text that is only read. Other shapeless characters stay in such text, because direction marks, joiners
 * and soft hyphens belong to ordinary writing and no decision depends on the text.
 */
const CONTROLS = String.raw`\p{Cc}\u202a-\u202e\u2066-\u2069`;

/**
 * CONTROLS, line separators and lone surrogates, which end or change a quoted line for a model or a parser. Other
 * shapeless characters stay, because a model must repeat a name exactly.
 */
const LINE_BREAKING = String.raw`${CONTROLS}\p{Zl}\p{Zp}\p{Cs}`;

/**
 * LINE_BREAKING and all characters without a shape: zero-width characters, direction marks, tags, fillers and
 * variation selectors. They are escaped in texts by which a person decides, and in lines of the log.
 */
const SHAPELESS = String.raw`${LINE_BREAKING}\p{Cf}\p{Default_Ignorable_Code_Point}`;

/** The scripts that use joiners. In text of other scripts a joiner changes nothing and can only hide something. */
const JOINED_SCRIPTS = [
  ..."Arabic Syriac Nko Adlam Mongolian".split(" "),
  ..."Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala".split(" "),
  ..."Myanmar Khmer Tibetan Javanese Balinese".split(" "),
].map((script) => String.raw`\p{scx=${script}}`).join("");

/**
 * Restricts the class that follows to characters with a shape, because a script also contains characters without a shape.
 */
const SEEN = String.raw`(?![\p{Cf}\p{Default_Ignorable_Code_Point}])`;
const PICTURE = String.raw`\p{Extended_Pictographic}`;
const VARIATION = String.raw`\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;

/**
 * The positions in which a shapeless character changes the shape of its neighbors and so is visible. A joiner is visible
 * next to a letter of a joined script and between two emoji. A variation selector is visible after a character with
 * variants and in a keycap emoji.
 */
const SHAPING = [
  String.raw`${SEEN}[${JOINED_SCRIPTS}][\u200c\u200d]`,
  String.raw`[\u200c\u200d](?=${SEEN}[${JOINED_SCRIPTS}])`,
  String.raw`${PICTURE}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d(?=${PICTURE})`,
  String.raw`${SEEN}[${PICTURE}\p{scx=Han}\p{Script=Mongolian}\p{Script=Myanmar}][${VARIATION}]`,
  String.raw`[0-9#*]\ufe0f(?=\u20e3)`,
].join("|");

// The regular expressions are created for the first text that is not PLAIN, because Unicode classes take long to compile.
// PLAIN has printable ASCII characters only, which are in none of the classes.
const PLAIN = /^[ -~]*$/;
const PLAIN_LINES = /^[\t\n -~]*$/;
const unseen = onFirstUse(() => new RegExp(`[${SHAPELESS}](?<!${SHAPING})`, "gu"));
const lineBreaking = onFirstUse(() => new RegExp(`[${LINE_BREAKING}]`, "gu"));
const dropped = onFirstUse(() => new RegExp(String.raw`(?![\n\t])[${CONTROLS}]`, "gu"));

/**
 * Matches terminal escape sequences: CSI; OSC, DCS and similar ones with printable content and an end; any other ESC with
 * its next character. The classes exclude control characters, so that matching takes linear time.
 */
const ESCAPE_SEQUENCES =
  // deno-lint-ignore no-control-regex -- control characters are what this is about
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** The options of escapeUnseen(). `keep` contains the characters, such as line feeds, that are not escaped. */
export interface EscapeOptions {
  keep?: string;
}

/** Returns the text with every invisible character escaped as in JSON: `\r`, `\u202e`, `\udb40\udc41`. Removes nothing. */
export function escapeUnseen(text: string, { keep = "" }: EscapeOptions = {}): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(unseen(), (char) => keep.includes(char) ? char : toEscape(char));
}

/** Returns the text with every character escaped that would end or reverse a line. A JSON text keeps its meaning. */
export function escapeControls(text: string, { keep = "" }: EscapeOptions = {}): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(lineBreaking(), (char) => keep.includes(char) ? char : toEscape(char));
}

/** Returns the text without control characters and direction overrides. Line feeds and tabs stay. */
export function dropControls(text: string): string {
  return PLAIN_LINES.test(text) ? text : text.replaceAll(dropped(), "");
}

/** Returns the text without terminal escape sequences. Removes whole sequences, not only their first character. */
export function dropEscapeSequences(text: string): string {
  return text.replaceAll(ESCAPE_SEQUENCES, "");
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function toEscape(char: string): string {
  const toHex = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return SHORT_ESCAPES[char] ?? char.split("").map(toHex).join("");
}

/** Returns a function that creates a value at its first call, and then returns this value. */
export function onFirstUse<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => made ??= make();
}
