// The text of a memory file: sections under `# name`, which people may edit, too. Pure; memory_file.ts owns the file.
//
// Decision: every line in heading form is a heading, in a code block as well, because an unclosed block would otherwise
// hide the sections after it (rejected: parsing code blocks).

/** One section as it is shown. */
export interface MemorySection {
  /** As written in its heading. */
  name: string;
  content: string;
}

/** The text under one heading. */
interface Part {
  name: string;
  /** The normalized name, for comparison. */
  key: string;
  /** The heading line of the file. */
  heading: string;
  /** The raw text; in a CRLF file each line keeps its CR. Null: the next heading, or the file's end, follows at once. */
  body: string | null;
}

/** The CR before the LF of a CRLF line, or nothing. */
type LineEnd = "\r" | "";

const BYTE_ORDER_MARK = /^\ufeff/;
/** A line that is a heading if it contains a name. */
const HEADING = /(?:^\ufeff?|(?<=\n))#[ \t][^\n]*/g;
/** More headings would block the service's thread too long. */
export const MAX_SECTIONS = 1_000;
/** Some editors treat a lone CR as a line ending, which would turn the text after it into a heading. */
const TO_ESCAPE = /(^|[\r\n])(?=\\*#[ \t])/g;
const ESCAPED = /(^|[\r\n])\\(?=\\*#[ \t])/g;

/**
 * A memory file's sections in file order.
 *
 * Names are equal when they differ only in letter case, accent encoding or the number of spaces, because models vary these
 * between runs. Several headings with equal names form one section. A change leaves all other text as it is, character by
 * character, including the text above the first heading.
 */
export class MemoryDocument {
  /** The text above the first heading. Null: the file begins with a heading. */
  readonly #preamble: string | null;
  readonly #parts: readonly Part[];

  private constructor(preamble: string | null, parts: readonly Part[]) {
    this.#preamble = preamble;
    this.#parts = parts;
  }

  /** Parses a memory. Every text is valid, but one that hasTooManySections() takes long. */
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

  /** Returns the whole file. */
  toText(): string {
    const parts = this.#parts.flatMap(({ heading, body }) => [heading, body]);
    return [this.#preamble, ...parts].filter((one) => one !== null).join("\n");
  }

  /** Returns the text above the first heading, without blank lines around it. */
  preamble(): string {
    return (this.#preamble ?? "").replace(BYTE_ORDER_MARK, "").trim();
  }

  /** Returns all sections. */
  sections(): MemorySection[] {
    return [...Map.groupBy(this.#parts, ({ key }) => key).values()].map(merged);
  }

  /** Returns the section with that name. */
  section(name: string): MemorySection | undefined {
    const key = toKey(name);
    const parts = this.#parts.filter((one) => one.key === key);
    return parts.length === 0 ? undefined : merged(parts);
  }

  /** Returns the section's content with a text on lines of its own appended, or only the text if there is no such section. */
  appended(name: string, text: string): string {
    const before = this.section(name)?.content ?? "";
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    return `${before}${gap}${text}`;
  }

  /** Returns a copy with that section's content replaced. A new section is added at the end. */
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

/** Returns true if a memory has more than MAX_SECTIONS headings. */
export function hasTooManySections(text: string): boolean {
  return text.split(HEADING, MAX_SECTIONS + 2).length > MAX_SECTIONS + 1;
}

function merged(parts: readonly Part[]): MemorySection {
  return { name: parts[0]?.name ?? "", content: parts.map(contentOf).join("\n\n") };
}

/** Returns a name in the form used for comparison. */
function toKey(name: string): string {
  return name.normalize("NFC").toLowerCase().normalize("NFC").replace(/\s+/g, " ").trim();
}

function headingName(line: string): string | undefined {
  const text = /^#[ \t](.*)$/s.exec(line)?.[1];
  // A heading written by hand may contain any characters; the shown name is one plain line.
  const name = text?.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return name === "" ? undefined : name;
}

function endOf(line: string): LineEnd {
  return line.endsWith("\r") ? "\r" : "";
}

/**
 * Returns a section's content. One blank line after the heading and one at the end are layout; every other line is content.
 */
function contentOf({ heading, body }: Part): string {
  let text = body ?? "";
  if (endOf(heading) !== "") text = text.replaceAll(/\r(?=\n|$)/g, "");
  if (text.startsWith("\n")) text = text.slice(1);
  if (text.endsWith("\n")) text = text.slice(0, -1);
  return text.replaceAll(ESCAPED, "$1");
}

/** The exact inverse of contentOf. */
function toBody(content: string, { end, last }: { end: LineEnd; last: boolean }): string {
  const text = content.replaceAll(TO_ESCAPE, "$1\\").replaceAll("\n", `${end}\n`);
  // After the last section the file ends; otherwise a blank line precedes the next heading.
  return `${end}\n${text}${end}\n${last ? "" : end}`;
}

/** Returns the body with a blank line at its end, so that a heading can follow. Its content stays the same. */
function withBlankEnd(body: string | null, end: LineEnd): string | null {
  // An empty body needs no blank line before the next heading.
  if (body === null || body === "") return null;
  if (body.endsWith("\n")) return body + end;
  if (body === end || body.endsWith(`\n${end}`)) return body;
  return `${body.endsWith("\r") ? body : body + end}\n${end}`;
}
