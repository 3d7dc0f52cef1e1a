// The text of a memory file: sections under `# name`, which people may edit, too. Pure; the file is memory_file.ts's.
// Decision: a line is a heading wherever it stands, in a code block as well, because a block that is left open would
// otherwise hide the sections after it (rejected: telling code blocks apart).

/** One section as it is shown. */
export interface MemorySection {
  /** As in its heading. */
  name: string;
  content: string;
}

/** A stretch of lines under one heading. */
interface Part {
  name: string;
  /** The heading as it stands in the file. */
  heading: string;
  /** As in the file; with CRLF each still has its CR. */
  lines: readonly string[];
}

/** What stands between a line and its LF: a CR in a file of CRLF lines. */
type LineEnd = "\r" | "";

const BYTE_ORDER_MARK = /^\ufeff/;
/** A CR alone is an end of line for some editors, which would turn what follows it into a heading. */
const TO_ESCAPE = /(^|[\r\n])(?=\\*#[ \t])/g;
const ESCAPED = /(^|[\r\n])\\(?=\\*#[ \t])/g;

/**
 * Sections in the order of the file. Names are the same when they differ only in letter case, in the spelling of accents
 * or in the number of spaces: models vary these from run to run. Several headings of one name are one section. What a
 * change does not touch stays as it is, character by character; so does the text above the first heading.
 */
export class MemoryDocument {
  readonly #preamble: readonly string[];
  readonly #parts: readonly Part[];

  private constructor(preamble: readonly string[], parts: readonly Part[]) {
    this.#preamble = preamble;
    this.#parts = parts;
  }

  /** Any text is a memory. */
  static parse(text: string): MemoryDocument {
    const preamble: string[] = [];
    const parts: (Part & { lines: string[] })[] = [];
    for (const [index, line] of text.split("\n").entries()) {
      const name = headingName(index === 0 ? line.replace(BYTE_ORDER_MARK, "") : line);
      if (name !== undefined) parts.push({ name, heading: line, lines: [] });
      else (parts.at(-1)?.lines ?? preamble).push(line);
    }
    return new MemoryDocument(preamble, parts);
  }

  /** The whole file. */
  toText(): string {
    const lines = this.#parts.flatMap(({ heading, lines }) => [heading, ...lines]);
    return [...this.#preamble, ...lines].join("\n");
  }

  /** What stands above the first heading, without blank lines around it. */
  preamble(): string {
    return this.#preamble.join("\n").replace(BYTE_ORDER_MARK, "").trim();
  }

  /** All sections. */
  sections(): MemorySection[] {
    const merged = new Map<string, MemorySection>();
    for (const part of this.#parts) {
      const key = toKey(part.name);
      const before = merged.get(key);
      const content = contentOf(part);
      merged.set(
        key,
        before === undefined
          ? { name: part.name, content }
          : { ...before, content: `${before.content}\n\n${content}` },
      );
    }
    return [...merged.values()];
  }

  /** The section of that name. */
  section(name: string): MemorySection | undefined {
    const key = toKey(name);
    return this.sections().find((one) => toKey(one.name) === key);
  }

  /** With that section's content replaced; a new section comes last. */
  withSection(name: string, content: string): MemoryDocument {
    const key = toKey(name);
    const first = this.#parts.find((one) => toKey(one.name) === key);
    if (first === undefined) return this.#withNewSection(name, content);
    const kept = this.#parts.filter((one) => one === first || toKey(one.name) !== key);
    const lines = toLines(content, { end: endOf(first.heading), last: first === kept.at(-1) });
    return new MemoryDocument(
      this.#preamble,
      kept.map((one) => one === first ? { ...one, lines } : one),
    );
  }

  /** With a text on lines of its own at the end of that section, which is made if need be. */
  withAppended(name: string, text: string): MemoryDocument {
    const before = this.section(name)?.content ?? "";
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    return this.withSection(name, `${before}${gap}${text}`);
  }

  #withNewSection(name: string, content: string): MemoryDocument {
    const last = this.#parts.at(-1);
    const end = last === undefined
      ? endOf(this.#preamble[0] ?? "")
      : endOf(this.#parts[0]?.heading ?? "");
    const lines = toLines(content, { end, last: true });
    const part: Part = { name, heading: `# ${name}${end}`, lines };
    if (last === undefined) {
      return new MemoryDocument(withBlankEnd(this.#preamble, end), [part]);
    }
    const closed = { ...last, lines: withBlankEnd(last.lines, endOf(last.heading)) };
    return new MemoryDocument(this.#preamble, [...this.#parts.slice(0, -1), closed, part]);
  }
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
function contentOf({ heading, lines }: Part): string {
  const end = endOf(heading);
  const body = lines.map((line) => end === "" ? line : line.replace(/\r$/, ""));
  if (body[0] === "") body.shift();
  if (body.at(-1) === "") body.pop();
  return body.join("\n").replaceAll(ESCAPED, "$1");
}

/** The opposite of contentOf, exactly. */
function toLines(content: string, { end, last }: { end: LineEnd; last: boolean }): string[] {
  const body = content.replaceAll(TO_ESCAPE, "$1\\").split("\n");
  // After the last section the file ends; else this is a blank line in front of the next heading.
  return [...["", ...body].map((line) => line + end), last ? "" : end];
}

/** Lines with a blank one at their end, so that a heading can follow; what they say stays the same. */
function withBlankEnd(lines: readonly string[], end: LineEnd): string[] {
  const before = lines.slice(0, -1);
  const last = lines.at(-1) ?? "";
  // Nothing at all needs no line in front of the next heading.
  if (last === "") return before.length === 0 ? [] : [...before, end];
  if (last === end) return [...lines];
  return [...before, last.endsWith("\r") ? last : last + end, end];
}
