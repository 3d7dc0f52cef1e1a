// Splits a Markdown file into front matter and body by its lines. Does not parse YAML.

/** A Markdown file, split into front matter and body. */
export interface FrontMatter {
  /** The YAML between the fences. Null if the file has no front matter. */
  yaml: string | null;
  /** The number of lines before the first line of the YAML. */
  lineOffset: number;
  /** The text after the line of the closing fence, unchanged. The whole text if there is no front matter. */
  body: string;
  /** The number of lines before the first line of the body. */
  bodyLineOffset: number;
}

/**
 * Splits a text at its fences: a first line `---`, and the next line `---` (blanks may follow both). Lines end with LF or
 * CRLF, and the text may begin with a byte order mark. Returns "unterminated" if the second fence is missing.
 */
export function splitFrontMatter(text: string): FrontMatter | "unterminated" {
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const opening = /^---[ \t]*(?:\r?\n|$)/.exec(text.slice(start, lineEnd(text, start)));
  if (opening === null) {
    return { yaml: null, lineOffset: 0, body: text.slice(start), bodyLineOffset: 0 };
  }
  const yamlStart = lineEnd(text, start);
  let line = 1;
  for (let at = yamlStart; at < text.length;) {
    const end = lineEnd(text, at);
    line++;
    if (/^---[ \t]*(?:\r?\n)?$/.test(text.slice(at, end))) {
      const yaml = text.slice(yamlStart, at);
      return { yaml, lineOffset: 1, body: text.slice(end), bodyLineOffset: line };
    }
    at = end;
  }
  return "unterminated";
}

/** Returns the index after the line feed of the line that begins at `start`. */
function lineEnd(text: string, start: number): number {
  const feed = text.indexOf("\n", start);
  return feed < 0 ? text.length : feed + 1;
}
