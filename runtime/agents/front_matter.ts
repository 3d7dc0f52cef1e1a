// Splits a Markdown file into front matter and body. Compares lines and parses no YAML.

/** A file in two parts. */
export interface FrontMatter {
  /** The YAML between the fences; null when the file has no front matter. */
  yaml: string | null;
  /** The number of lines before the first line of the YAML. */
  lineOffset: number;
  /** The text after the closing fence's line, unchanged; the whole text when there is no front matter. */
  body: string;
  /** The number of lines before the first line of the body. */
  bodyLineOffset: number;
}

/**
 * Splits a text at its fences: a first line `---`, and the next line that is `---` (blanks may follow either). Line
 * ends are LF or CRLF, and a byte order mark may come first. Returns "unterminated" when the second fence is missing.
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
