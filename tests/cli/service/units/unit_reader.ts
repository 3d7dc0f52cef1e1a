// Reads a unit file as systemd.syntax(7) and systemd.service(5) specify, without using its writer's code.

/** A parsed unit file. */
export interface ReadUnit {
  /** Returns the unparsed values of a key in their order. */
  values(section: string, key: string): string[];
  /** Returns the words of all values of a key, with quotes, escapes, specifiers and variables resolved. */
  words(section: string, key: string): string[];
  /** Returns the path in a key's value, with specifiers resolved. */
  path(section: string, key: string): string;
}

/** Parses a unit file. Throws for text that systemd rejects. */
export function readUnit(text: string): ReadUnit {
  const found: { section: string; key: string; value: string }[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    if (line === "" || /^[#;]/.test(line)) continue;
    const head = /^\[(.+)\]$/.exec(line)?.[1];
    if (head !== undefined) {
      section = head;
      continue;
    }
    const [, key, value] = /^([A-Za-z]+)=(.*)$/s.exec(line) ?? [];
    if (key === undefined || value === undefined) throw new Error(`no line of a unit: ${line}`);
    if (value.endsWith("\\")) throw new Error(`the line goes on: ${line}`);
    found.push({ section, key, value });
  }
  const values = (section: string, key: string) =>
    found.filter((one) => one.section === section && one.key === key).map(({ value }) => value);
  return {
    values,
    words: (section, key) =>
      values(section, key).flatMap((value) =>
        splitWords(value).map(specifiers).map((word, index) =>
          key === "ExecStart" && index > 0 ? variables(word) : word
        )
      ),
    path: (section, key) => specifiers(values(section, key).join()),
  };
}

function splitWords(value: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < value.length;) {
    if (value[at] === " ") {
      at++;
      continue;
    }
    if (value[at] !== '"') throw new Error(`a word without quotes at ${at}: ${value}`);
    let word = "";
    for (at++; value[at] !== '"'; at++) {
      if (at >= value.length) throw new Error(`a quote is never closed: ${value}`);
      if (value[at] === "\\") {
        at++;
        if (value[at] !== "\\" && value[at] !== '"') throw new Error(`another escape: ${value}`);
      }
      word += value[at];
    }
    at++;
    if (at < value.length && value[at] !== " ") throw new Error(`no space behind a word: ${value}`);
    words.push(word);
  }
  return words;
}

function specifiers(text: string): string {
  return text.replaceAll(/%(.?)/g, (_, kind: string) => {
    if (kind !== "%") throw new Error(`a specifier: ${text}`);
    return "%";
  });
}

function variables(text: string): string {
  return text.replaceAll(/\$(.?)/g, (_, next: string) => {
    if (next !== "$") throw new Error(`a variable: ${text}`);
    return "$";
  });
}
