// Parses and changes the text of a memory file: sections under headings `# name`, which people may edit, too.
// memory_file.ts reads and writes the file.
//
// Decision: every line in heading form is a heading, also in a code block, because an unclosed code block would otherwise
// hide the sections after it (rejected: parsing code blocks).

/** A section of a memory, with the headings of equal names merged. */
export interface MemorySection {
  /** The name as written in the section's first heading. */
  name: string;
  content: string;
}

/** One heading of the file and the text below it. */
interface Part {
  name: string;
  /** The normalized name, by which headings are compared. */
  key: string;
  /** The heading line as in the file, without its LF. */
  heading: string;
  /**
   * The text below the heading as in the file; with CRLF line endings, each line keeps its CR. Null if the heading is the
   * last line or another heading follows in the next line.
   */
  body: string | null;
}

/** The end of a line before its LF: a CR in a file with CRLF, else empty. */
type LineEnd = "\r" | "";

const BYTE_ORDER_MARK = /^\ufeff/;
/** Matches each line in heading form. A line without a name is not a heading. */
const HEADING = /(?:^\ufeff?|(?<=\n))#[ \t][^\n]*/g;
/** The maximum number of headings. Parsing more would block the service's thread too long. */
export const MAX_SECTIONS = 1_000;
/**
 * Matches content lines that would be read as headings. A lone CR counts as a line ending, because some editors treat it as
 * one.
 */
const TO_ESCAPE = /(^|[\r\n])(?=\\*#[ \t])/g;
const ESCAPED = /(^|[\r\n])\\(?=\\*#[ \t])/g;

/**
 * The sections of a memory file, in file order. A document does not change; `withSection` returns a new one.
 *
 * Names are equal if they differ only in letter case, accent encoding or the number of spaces, because models vary these
 * between runs. Headings with equal names form one section. A change keeps all other text, including the text above the
 * first heading, character by character.
 */
export class MemoryDocument {
  /** The text above the first heading. Null if the file begins with a heading. */
  readonly #preamble: string | null;
  readonly #parts: readonly Part[];

  private constructor(preamble: string | null, parts: readonly Part[]) {
    this.#preamble = preamble;
    this.#parts = parts;
  }

  /**
   * Parses the text of a memory file. Every text is valid, but parsing takes long if hasTooManySections() returns true for
   * it.
   */
  static parse(text: string): MemoryDocument {
    let preamble: string | null = null;
    const parts: Part[] = [];
    let from = 0;
    const endAt = (end: number) => {
      const body = end < from ? null : text.slice(from, end);
      const last = parts.at(-1);
      if (last === undefined) preamble = body;
      else last.body = body;
    };
    for (const { 0: heading, index } of text.matchAll(HEADING)) {
      const name = headingName(heading.replace(BYTE_ORDER_MARK, ""));
      if (name === undefined) continue;
      endAt(index - 1);
      parts.push({ name, key: toKey(name), heading, body: null });
      from = index + heading.length + 1;
    }
    endAt(text.length);
    return new MemoryDocument(preamble, parts);
  }

  /** Returns the text of the whole file. */
  toText(): string {
    const parts = this.#parts.flatMap(({ heading, body }) => [heading, body]);
    return [this.#preamble, ...parts].filter((one) => one !== null).join("\n");
  }

  /** Returns the text above the first heading, trimmed. */
  preamble(): string {
    return (this.#preamble ?? "").replace(BYTE_ORDER_MARK, "").trim();
  }

  /** Returns all sections in file order. */
  sections(): MemorySection[] {
    return [...Map.groupBy(this.#parts, ({ key }) => key).values()].map(merged);
  }

  /** Returns the section with an equal name, or undefined. */
  section(name: string): MemorySection | undefined {
    const key = toKey(name);
    const parts = this.#parts.filter((one) => one.key === key);
    return parts.length === 0 ? undefined : merged(parts);
  }

  /**
   * Returns the section's content with `text` appended on a new line. Returns only `text` if the section does not exist.
   */
  appended(name: string, text: string): string {
    const before = this.section(name)?.content ?? "";
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    return `${before}${gap}${text}`;
  }

  /** Returns a document in which the section has this content. A new section is added at the end. */
  withSection(name: string, content: string): MemoryDocument {
    const key = toKey(name);
    const first = this.#parts.find((one) => one.key === key);
    if (first === undefined) return this.#withNewSection(name, content);
    const kept = this.#parts.filter((one) => one === first || one.key !== key);
    const body = toBody(content, { end: endOf(first.heading), last: first === kept.at(-1) });
    return new MemoryDocument(
      this.#preamble,
      kept.map((one) => one === first ? { ...one, body } : one),
    );
  }

  #withNewSection(name: string, content: string): MemoryDocument {
    const last = this.#parts.at(-1);
    const [firstLine = ""] = (this.#preamble ?? "").split("\n", 1);
    const end = endOf(this.#parts[0]?.heading ?? firstLine);
    const body = toBody(content, { end, last: true });
    const part: Part = { name, key: toKey(name), heading: `# ${name}${end}`, body };
    if (last === undefined) {
      return new MemoryDocument(withBlankEnd(this.#preamble, end), [part]);
    }
    const closed = { ...last, body: withBlankEnd(last.body, endOf(last.heading)) };
    return new MemoryDocument(this.#preamble, [...this.#parts.slice(0, -1), closed, part]);
  }
}

/** Returns true if a memory file has more than MAX_SECTIONS headings. */
export function hasTooManySections(text: string): boolean {
  return text.split(HEADING, MAX_SECTIONS + 2).length > MAX_SECTIONS + 1;
}

function merged(parts: readonly Part[]): MemorySection {
  return { name: parts[0]?.name ?? "", content: parts.map(contentOf).join("\n\n") };
}

/** Returns a section's name in the form in which names are compared. */
function toKey(name: string): string {
  return name.normalize("NFC").toLowerCase().normalize("NFC").replace(/\s+/g, " ").trim();
}

function headingName(line: string): string | undefined {
  const text = /^#[ \t](.*)$/s.exec(line)?.[1];
  // A heading that a person wrote may contain control characters; the name to show is one plain line.
  const name = text?.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return name === "" ? undefined : name;
}

function endOf(line: string): LineEnd {
  return line.endsWith("\r") ? "\r" : "";
}

/**
 * Returns the content below a heading. One blank line after the heading and one at the end do not count as content; all
 * other lines do.
 */
function contentOf({ heading, body }: Part): string {
  let text = body ?? "";
  if (endOf(heading) !== "") text = text.replaceAll(/\r(?=\n|$)/g, "");
  if (text.startsWith("\n")) text = text.slice(1);
  if (text.endsWith("\n")) text = text.slice(0, -1);
  return text.replaceAll(ESCAPED, "$1");
}

/** Returns the text to write below a heading. It is the exact inverse of contentOf. */
function toBody(content: string, { end, last }: { end: LineEnd; last: boolean }): string {
  const text = content.replaceAll(TO_ESCAPE, "$1\\").replaceAll("\n", `${end}\n`);
  // A blank line separates the section from the next heading. The last section needs none.
  return `${end}\n${text}${end}\n${last ? "" : end}`;
}

/**
 * Returns the body with a blank line at its end, so that a heading can follow. The content of the section stays the same.
 */
function withBlankEnd(body: string | null, end: LineEnd): string | null {
  // The next heading may follow a heading without a text directly.
  if (body === null || body === "") return null;
  if (body.endsWith("\n")) return body + end;
  if (body === end || body.endsWith(`\n${end}`)) return body;
  return `${body.endsWith("\r") ? body : body + end}\n${end}`;
}
