// One word of a command line as somebody types it: quotation marks and backslashes taken off, nothing expanded or run.

/** The text of a word, and the quotation mark that is still open at its end. */
export interface TypedWord {
  text: string;
  quote: "" | '"' | "'";
}

/** Reads a word that may be typed in part. */
export function readTypedWord(typed: string): TypedWord {
  let text = "";
  let quote: TypedWord["quote"] = "";
  const characters = [...typed];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    const next = characters[index + 1];
    if (quote === "'") {
      if (character === "'") quote = "";
      else text += character;
    } else if (character === "\\") {
      // Between double quotes a backslash is one, unless it takes the meaning of what follows.
      const isKept = quote === '"' && next !== undefined && !'"\\$`'.includes(next);
      text += (isKept ? "\\" : "") + (next ?? "");
      index++;
    } else if (character === quote) {
      quote = "";
    } else if (quote === "" && (character === '"' || character === "'")) {
      quote = character;
    } else {
      text += character;
    }
  }
  return { text, quote };
}
