// Compares command lines with the patterns in `shell.allow` and `shell.deny` of an agent's file.

/** A parsed pattern: the first words of a command. */
export interface CommandPattern {
  /** The pattern as written. */
  text: string;
  words: readonly string[];
  /** True if further words may follow, which a `*` at the pattern's end means. */
  isOpen: boolean;
}

/** Parses a pattern such as `git log *` or `npm test`. Returns undefined for a text that is no pattern. */
export function parsePattern(text: string): CommandPattern | undefined {
  const fixed = text.replace(/[ \t]+\*[ \t]*$/, "");
  const [words, ...others] = readCommands(fixed) ?? [];
  if (words === undefined || others.length > 0 || words.includes(null)) return undefined;
  return { text, words: words.flatMap((word) => word ?? []), isOpen: fixed !== text };
}

/** Parses the patterns of a valid agent file. */
export function toPatterns(texts: readonly string[]): CommandPattern[] {
  return texts.flatMap((text) => parsePattern(text) ?? []);
}

/** Returns true if each command of a line matches one of the patterns. Returns false if the line cannot be split. */
export function isAllowed(line: string, patterns: readonly CommandPattern[]): boolean {
  return readCommands(line)?.every((words) => matchesAny(words, patterns)) ?? false;
}

/**
 * Returns the narrowest patterns that allow a line together with `allow`, such as `git log *` for `git log -3`. Returns
 * undefined if no pattern can allow the line.
 */
export function proposePatterns(
  line: string,
  allow: readonly CommandPattern[],
): string[] | undefined {
  const commands = readCommands(line);
  const missing = commands?.filter((words) => !matchesAny(words, allow)).map(toPattern);
  if (missing === undefined || missing.includes(undefined)) return undefined;
  return [...new Set(missing.flatMap((one) => one ?? []))];
}

/**
 * Returns the first pattern whose words a line contains, also where the line cannot be split, and inside of quotes. Further
 * words may follow, and options may be between the words: `git push` denies `git -C . push -f`.
 */
export function findDenied(
  line: string,
  patterns: readonly CommandPattern[],
): CommandPattern | undefined {
  if (patterns.length === 0) return undefined;
  const words = looseWords(line);
  return patterns.find((one) => contains(words, looseWords(one.words.join(" "))));
}

function matchesAny(words: readonly CommandWord[], patterns: readonly CommandPattern[]): boolean {
  return patterns.some((one) =>
    one.words.every((word, index) => word === words[index]) &&
    (one.isOpen || one.words.length === words.length)
  );
}

/** Returns the pattern for a command: its name and subcommands, with `*` for all words from the first other word on. */
function toPattern(words: readonly CommandWord[]): string | undefined {
  const [first] = words;
  if (first == null) return undefined;
  const end = words.findIndex((word, index) => index > 0 && !/^[A-Za-z][\w:-]*$/.test(word ?? ""));
  // Without a subcommand, `*` would allow too much: `ls *` or even `bash *`.
  const isOpen = end > 1;
  const shown = isOpen ? words.slice(0, end) : words;
  if (shown.includes(null)) return undefined;
  return [...shown.map((word) => quote(word ?? "")), ...(isOpen ? ["*"] : [])].join(" ");
}

function quote(word: string): string {
  return /^[\w\-./:,+@%=^]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The word that separates commands in the result of looseWords(). */
const SEPARATOR = ";";

/** Returns the words of a line without its quotes, split at every character that could separate words. */
function looseWords(line: string): string[] {
  return line
    .replaceAll(/\$\{?IFS\b/g, " ")
    .replaceAll(/\\\n|['"\\]/g, "")
    .replaceAll(/[;&|()\n`]+/g, ` ${SEPARATOR} `)
    .split(/[\s$<>{},]+/)
    .filter((word) => word !== "");
}

function contains(words: readonly string[], pattern: readonly string[]): boolean {
  // Each number is a count of the pattern's words that were found up to the current word.
  let counts: number[] = [];
  for (const [index, word] of words.entries()) {
    const isSkipped = word.startsWith("-") || words[index - 1]?.startsWith("-") === true;
    const next = word === SEPARATOR ? [] : [0, ...counts].flatMap((count) => {
      const wanted = pattern[count];
      const isFound = word === wanted || count === 0 && word.endsWith(`/${wanted}`);
      return [...(isFound ? [count + 1] : []), ...(isSkipped && count > 0 ? [count] : [])];
    });
    counts = [...new Set(next)];
    if (counts.includes(pattern.length)) return true;
  }
  return false;
}

/** A word of a command. Null for a word that the shell replaces by the names of files, such as `*.ts`. */
type CommandWord = string | null;

/**
 * The parts of a line. Outside of quotes only these ASCII characters are accepted: `$`, `` ` ``, `<`, `>`, `&`, parentheses,
 * braces, `!` and `#` are not among them. `~` is accepted after a letter or digit, because it names a home at other places.
 */
const PART = new RegExp(
  [
    /(?<blank>[ \t]+)/,
    /(?<end>\n|;|&&|\|\|?(?![|&]))/,
    /(?<plain>(?:[A-Za-z0-9_\-./:,+@%=^]|(?<=[A-Za-z0-9^~])~)+)/,
    /'(?<single>[^']*)'/,
    /"(?<double>(?:[^"\\$`]|\\[^\n])*)"/,
    /\\(?<escaped>[\x20-\x7e])/,
    /(?<glob>[*?[\]])/,
  ].map(({ source }) => source).join("|"),
  "y",
);

/** The characters that a backslash escapes inside double quotes. Before others, the backslash stays in the word. */
const ESCAPED_IN_QUOTES = /\\([\\"$`])/g;

/**
 * Returns the words of each command of a line, in order. Returns undefined if the line contains anything but words and
 * `&&`, `||`, `;`, `|` and line breaks between commands: an expansion, a redirection, an assignment, a comment, a command
 * in the background, or a mistake.
 */
export function readCommands(line: string): CommandWord[][] | undefined {
  const commands: CommandWord[][] = [];
  let words: CommandWord[] = [];
  let word: { text: string; isGlob: boolean } | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word.isGlob ? null : word.text);
    word = undefined;
  };
  // The end of the line ends a command like a line break.
  const text = `${line}\n`;
  for (let at = 0; at < text.length;) {
    PART.lastIndex = at;
    const { 0: part = "", groups } = PART.exec(text) ?? {};
    if (part === "" || groups === undefined) return undefined;
    at += part.length;
    if (groups["blank"] !== undefined) {
      endWord();
    } else if (groups["end"] !== undefined) {
      endWord();
      const [first] = words;
      // A line break may follow an operator or another line break.
      if (first === undefined && part !== "\n" || first?.includes("=")) return undefined;
      if (first !== undefined) commands.push(words);
      words = [];
    } else {
      word ??= { text: "", isGlob: false };
      word.isGlob ||= groups["glob"] !== undefined;
      word.text += groups["plain"] ?? groups["single"] ?? groups["escaped"] ??
        groups["double"]?.replaceAll(ESCAPED_IN_QUOTES, "$1") ?? part;
    }
  }
  return commands.length === 0 ? undefined : commands;
}
