// The text of a memory file: sections under `# name`, which people may edit, too. Pure; the file is memory_file.ts's.
// Decision: a line is a heading wherever it stands, in a code block as well, because a block that is left open would
// otherwise hide the sections after it (rejected: telling code blocks apart).

/** One section as it is shown. */
export interface MemorySection {
  /** As in its heading. */
  name: string;
  content: string;
}

/** What stands under one heading. */
interface Part {
  name: string;
  /** The name as names are compared. */
  key: string;
  /** The heading as it stands in the file. */
  heading: string;
  /** As in the file; with CRLF each line still has its CR. Null: the next heading, or the file's end, follows at once. */
  body: string | null;
}

/** What stands between a line and its LF: a CR in a file of CRLF lines. */
type LineEnd = "\r" | "";

const BYTE_ORDER_MARK = /^\ufeff/;
/** A line that is a heading where it names something. */
const HEADING = /(?:^\ufeff?|(?<=\n))#[ \t][^\n]*/g;
/** More headings take the service's thread too long. */
export const MAX_SECTIONS = 1_000;
/** A CR alone is an end of line for some editors, which would turn what follows it into a heading. */
const TO_ESCAPE = /(^|[\r\n])(?=\\*#[ \t])/g;
const ESCAPED = /(^|[\r\n])\\(?=\\*#[ \t])/g;

/**
 * Sections in the order of the file. Names are the same when they differ only in letter case, in the spelling of accents
 * or in the number of spaces: models vary these from run to run. Several headings of one name are one section. What a
 * change does not touch stays as it is, character by character; so does the text above the first heading.
 */
export class MemoryDocument {
  /** Null: the file begins with a heading. */
  readonly #preamble: string | null;
  readonly #parts: readonly Part[];

  private constructor(preamble: string | null, parts: readonly Part[]) {
    this.#preamble = preamble;
    this.#parts = parts;
  }

  /** Any text is a memory; one that hasTooManySections() takes long. */
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

  /** The whole file. */
  toText(): string {
    const parts = this.#parts.flatMap(({ heading, body }) => [heading, body]);
    return [this.#preamble, ...parts].filter((one) => one !== null).join("\n");
  }

  /** What stands above the first heading, without blank lines around it. */
  preamble(): string {
    return (this.#preamble ?? "").replace(BYTE_ORDER_MARK, "").trim();
  }

  /** All sections. */
  sections(): MemorySection[] {
    return [...Map.groupBy(this.#parts, ({ key }) => key).values()].map(merged);
  }

  /** The section of that name. */
  section(name: string): MemorySection | undefined {
    const key = toKey(name);
    const parts = this.#parts.filter((one) => one.key === key);
    return parts.length === 0 ? undefined : merged(parts);
  }

  /** What that section says with a text on lines of its own at its end; only the text where there is no such section. */
  appended(name: string, text: string): string {
    const before = this.section(name)?.content ?? "";
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    return `${before}${gap}${text}`;
  }

  /** With that section's content replaced; a new section comes last. */
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

/** Whether a memory has more than MAX_SECTIONS headings. */
export function hasTooManySections(text: string): boolean {
  return text.split(HEADING, MAX_SECTIONS + 2).length > MAX_SECTIONS + 1;
}

function merged(parts: readonly Part[]): MemorySection {
  return { name: parts[0]?.name ?? "", content: parts.map(contentOf).join("\n\n") };
}

/** How names are compared. */
function toKey(name: string): string {
  return name.normalize("NFC").toLowerCase().normalize("NFC").replace(/\s+/g, " ").trim();
}

function headingName(line: string): string | undefined {
  const text = /^#[ \t](.*)$/s.exec(line)?.[1];
  // A heading written by hand may hold anything; what is shown of it is one plain line.
  const name = text?.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return name === "" ? undefined : name;
}

function endOf(line: string): LineEnd {
  return line.endsWith("\r") ? "\r" : "";
}

/** A blank line after the heading and one at the end are layout; every other line is content. */
function contentOf({ heading, body }: Part): string {
  let text = body ?? "";
  if (endOf(heading) !== "") text = text.replaceAll(/\r(?=\n|$)/g, "");
  if (text.startsWith("\n")) text = text.slice(1);
  if (text.endsWith("\n")) text = text.slice(0, -1);
  return text.replaceAll(ESCAPED, "$1");
}

/** The opposite of contentOf, exactly. */
function toBody(content: string, { end, last }: { end: LineEnd; last: boolean }): string {
  const text = content.replaceAll(TO_ESCAPE, "$1\\").replaceAll("\n", `${end}\n`);
  // After the last section the file ends; else there is a blank line in front of the next heading.
  return `${end}\n${text}${end}\n${last ? "" : end}`;
}

/** A body with a blank line at its end, so that a heading can follow; what it says stays the same. */
function withBlankEnd(body: string | null, end: LineEnd): string | null {
  // Nothing at all needs no line in front of the next heading.
  if (body === null || body === "") return null;
  if (body.endsWith("\n")) return body + end;
  if (body === end || body.endsWith(`\n${end}`)) return body;
  return `${body.endsWith("\r") ? body : body + end}\n${end}`;
}
