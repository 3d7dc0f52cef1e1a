// Splits a shell's command line into its commands and their words, if the line contains nothing that the shell expands.
//
// Decision: this lexer knows only words, quotes and four operators, and refuses everything else. So a line that it accepts
// means the same to every shell (rejected: unbash 6, a complete parser of 240 KB. It repairs broken lines, and each kind of
// node that it adds must be excluded here before it is safe).

/** A word of a command. Null for a word that the shell replaces by the names of files, such as `*.ts`. */
export type CommandWord = string | null;

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
