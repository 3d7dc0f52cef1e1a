// Removes the quotation marks and backslashes of a typed word. Does not expand variables or patterns.

/** The text of a word without quotation marks, and the quotation mark that is open at its end. */
export interface TypedWord {
  text: string;
  quote: "" | '"' | "'";
}

/** Parses a shell word, which may be incomplete. */
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
      // Within double quotes, a backslash escapes only certain characters. Before any other character, the backslash is a
      // part of the text.
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
