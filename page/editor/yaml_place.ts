// Finds the key or value of YAML or JSON that a person is writing, by indentation and brackets. The text need not be valid
// yet.

/** The place of the cursor in YAML. */
export interface YamlPlace {
  /** The keys from the root to the map or value. */
  path: string[];
  /** The beginning of the word at the cursor. */
  word: string;
  /** True if the word is a key, false if it is a value or an item of a list. */
  isKey: boolean;
}

/** Matches a line with a key: its indentation with dashes, its key, and the rest. */
const LINE = /^((?: |- )*)(?:"([^"]+)"|([\w$.-]+)):(?:\s+(.*))?$/;

/** Returns the place at the end of `before`, the text of the YAML up to the cursor. Undefined inside of a comment. */
export function findYamlPlace(before: string): YamlPlace | undefined {
  const lines = before.split("\n");
  const current = lines.pop() ?? "";
  if (/(^|\s)#/.test(current)) return undefined;
  const parents: { indent: number; key: string }[] = [];
  for (const line of lines) {
    const found = LINE.exec(line);
    if (found === null || /^\s*#/.test(line)) continue;
    const indent = found[1]?.length ?? 0;
    leave(parents, indent);
    // A key with a value on its line contains no further keys.
    if ((found[4] ?? "").replace(/#.*/, "").trim() === "") {
      parents.push({ indent, key: found[2] ?? found[3] ?? "" });
    }
  }
  const keyed = LINE.exec(current);
  const opening = /^(?: |- )*/.exec(current)?.[0] ?? "";
  // The items of a list may begin in the column of their key.
  leave(parents, opening.includes("- ") ? opening.indexOf("- ") + 0.5 : opening.length);
  const path = parents.map(({ key }) => key);
  if (keyed === null) return { path, word: current.slice(opening.length), isKey: true };
  return inFlow(keyed[4] ?? "", [...path, keyed[2] ?? keyed[3] ?? ""]);
}

/** Removes the keys that do not contain a line with this indentation. */
function leave(parents: { indent: number }[], indent: number): void {
  while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop();
}

/** Returns the place at the end of a value, which may contain maps and lists in brackets. */
function inFlow(value: string, path: string[]): YamlPlace {
  const open: { bracket: string; key: string | undefined }[] = [];
  let word = "";
  let key: string | undefined;
  for (const character of value) {
    if (character === "{" || character === "[") {
      open.push({ bracket: character, key });
      [word, key] = ["", undefined];
    } else if (character === "}" || character === "]") {
      open.pop();
      [word, key] = ["", undefined];
    } else if (character === ",") [word, key] = ["", undefined];
    else if (character === ":" && open.at(-1)?.bracket === "{") [word, key] = ["", word.trim()];
    else word += character;
  }
  const keys = open.flatMap((one) => one.key ?? []);
  const isKey = open.at(-1)?.bracket === "{" && key === undefined;
  return {
    path: [...path, ...keys, ...(key === undefined ? [] : [key])],
    word: word.trimStart(),
    isKey,
  };
}

/** Matches a JSON string, which ends with its quote or at the end of the text. */
const STRING = /"((?:[^"\\]|\\.)*)("|$)/g;
/** Matches the number of a string in the place of that string. */
const NUMBER = /"(\d+)"/g;

/** Returns the place at the end of a JSON text, and whether it is in a string. */
export function findJsonPlace(before: string): YamlPlace & { isQuoted: boolean } {
  const strings: string[] = [];
  let isQuoted = false;
  // A string may contain brackets, commas and colons, so it is replaced by its number.
  const plain = before.replace(STRING, (_, text: string, end: string) => {
    isQuoted = end === "";
    return `"${strings.push(text) - 1}"`;
  });
  const restore = (text: string) => text.replace(NUMBER, (_, at) => strings[Number(at)] ?? "");
  const { path, word, isKey } = inFlow(plain, []);
  return { path: path.map(restore), word: restore(word), isKey, isQuoted };
}
