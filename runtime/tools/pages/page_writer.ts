// Writes a page as Markdown while its tags arrive. An element becomes text when it ends, so no tree of the page is kept.
import { fenced, inOneLine, languageOf, writeTable } from "./markdown_parts.ts";
import type { Attributes, MarkupHandler } from "./markup_reader.ts";
import { PageFacts } from "./page_facts.ts";
import { Frame, NAMES, widest } from "./page_frame.ts";
import { BLOCKS, isBeside, isMain, MARKS, PARAGRAPHS, VOID } from "./page_rules.ts";
import { ownValue } from "../../../base/json.ts";

/** The maximum number of open elements. Deeper elements become part of the deepest one. */
const MAX_DEPTH = 256;
/** The maximum depth to which lists and quotes are indented. */
const MAX_INDENTS = 8;
/** The maximum number of characters that are rewritten, because each level of nesting may rewrite the text in it. */
const MAX_REWRITTEN = 4_000_000;
/** The maximum number of characters that are rewritten at once. A longer text of an element is not indented. */
const MAX_AT_ONCE = 200_000;
const MAX_ALT = 300;
/** A cell with more text than this, in several lines, is not of a table but of a layout. */
const MAX_CELL = 400;

/** Error: the elements of the page are nested so that its text takes too long to write. */
export class PageGivenUp extends Error {
  override readonly name = "PageGivenUp";
}

/** A part of the page that may be its main part. */
interface Part {
  text: string;
  characters: number;
}

/** The Markdown of a page, and facts about it. */
export interface WrittenPage {
  facts: PageFacts;
  text: string;
  /** True if the page marks its main part. */
  hasMain: boolean;
  /** The number of characters in the parts that were left out. */
  leftOut: number;
}

/** Receives the tags of an HTML page, and writes its main part as Markdown. */
export class PageWriter implements MarkupHandler {
  readonly #keepsAll: boolean;
  readonly #stack: Frame[] = [];
  readonly #open = new Map<string, number>();
  readonly #facts: PageFacts;
  /** The number of open elements beyond MAX_DEPTH. */
  #deeper = 0;
  #rewritten = 0;
  #leftOut = 0;
  #main: Part | undefined;
  #article: Part | undefined;

  /** With `keepsAll`, navigation and the like are written, too. */
  constructor({ url, keepsAll }: { url: string; keepsAll: boolean }) {
    this.#facts = new PageFacts(url);
    this.#keepsAll = keepsAll;
    this.#push("html", new Map());
  }

  open(name: string, attributes: Attributes): void {
    this.#facts.read(name, attributes);
    if (name === "iframe") this.#addFrame(attributes);
    if (VOID.has(name)) return this.#addVoid(name, attributes);
    if (this.#deeper > 0 || this.#stack.length >= MAX_DEPTH) {
      this.#deeper++;
      if (BLOCKS.has(name)) this.#top.add("", 2, 2);
      return;
    }
    if (name === "html" || name === "body" && this.#count(name) > 0) return;
    if (BLOCKS.has(name) && this.#count("head") > 0) this.close("head");
    // A link whose end is missing.
    if (name === "a" && this.#count("a") > 0) this.close("a");
    this.#push(name, attributes);
  }

  close(name: string): void {
    if (this.#deeper > 0 && !VOID.has(name)) return void this.#deeper--;
    if (this.#count(name) === 0 || name === "html" || name === "body") return;
    let at = this.#stack.length - 1;
    while (this.#stack[at]?.name !== name) at--;
    this.#endFrom(at);
  }

  text(text: string): void {
    const frame = this.#top;
    if (frame.skips) {
      if (frame.name === "title" && this.#count("svg") === 0) this.#facts.title += text;
      const isCode = this.#count("style") + this.#count("script") > 0;
      if (this.#count("noscript") > 0 && !isCode) this.#facts.notice += text;
      return;
    }
    if (frame.inCode) {
      frame.out += text;
      frame.characters += text.length;
      return;
    }
    const plain = text.replace(/[\s\u200b\ufeff\u00ad]+/g, " ");
    const inner = plain.trim();
    frame.characters += inner.length;
    if (frame.inLink) frame.linked += inner.length;
    frame.add(inner, plain.startsWith(" ") ? 1 : 0, plain.endsWith(" ") ? 1 : 0);
  }

  /** Ends all elements and returns the page. */
  end(): WrittenPage {
    this.#deeper = 0;
    const [root] = this.#stack;
    this.#endFrom(1);
    const all = { text: root?.out ?? "", characters: root?.characters ?? 0 };
    const isChosen = (part: Part | undefined, share: number) =>
      part !== undefined && part.characters >= share * all.characters ? part : undefined;
    const chosen = isChosen(this.#main, 0.3) ?? isChosen(this.#article, 0.5) ?? all;
    return {
      facts: this.#facts,
      text: chosen.text,
      hasMain: chosen !== all,
      leftOut: this.#leftOut + all.characters - chosen.characters,
    };
  }

  get #top(): Frame {
    const top = this.#stack.at(-1);
    if (top === undefined) throw new TypeError("The page has ended");
    return top;
  }

  #count(name: string): number {
    return this.#open.get(name) ?? 0;
  }

  #push(name: string, attributes: Attributes): void {
    const address = name === "a" ? this.#facts.addressOf(attributes.get("href")) : "";
    this.#open.set(name, this.#count(name) + 1);
    this.#stack.push(new Frame(name, attributes, address, this.#stack.at(-1)));
  }

  #endFrom(at: number): void {
    while (this.#stack.length > at) {
      const frame = this.#stack.pop();
      if (frame !== undefined) this.#end(frame);
    }
  }

  #end(frame: Frame): void {
    const { name, characters, linked } = frame;
    this.#open.set(name, this.#count(name) - 1);
    const outer = this.#top;
    if (frame.skips) return;
    if (!this.#keepsAll && isBeside(frame, outer.inMain)) {
      this.#leftOut += characters;
      outer.gap = widest(outer.gap, 2);
      return;
    }
    outer.characters += characters;
    outer.linked += linked;
    outer.links += frame.links + (name === "a" && linked > 0 ? 1 : 0);
    outer.hasTitle ||= frame.hasTitle;
    if (frame.inCode) outer.language ||= frame.language || languageOf(frame.attributes);
    if (frame.inCode && name !== "pre") {
      outer.out += frame.out + (BLOCKS.has(name) ? "\n" : "");
      return;
    }
    const text = this.#write(frame, outer);
    outer.hasLines ||= text !== "" && (frame.hasLines || name === "pre" || name === "table");
    if (!BLOCKS.has(name)) return outer.add(text, frame.lead, frame.gap);
    const own = PARAGRAPHS.has(name) && !(outer.name === "li" && /^[uo]l$/.test(name)) ? 3 : 2;
    outer.add(text, widest(own, frame.lead), widest(own, frame.gap));
    const part = { text, characters };
    if (isMain(name, frame.attributes)) {
      if (characters > (this.#main?.characters ?? 0)) this.#main = part;
    } else if (name === "article" && characters > (this.#article?.characters ?? 0)) {
      this.#article = part;
    }
  }

  /** Returns the Markdown of a finished element. */
  #write(frame: Frame, outer: Frame): string {
    const { name, out, inLink } = frame;
    if (name === "td" || name === "th") return this.#endCell(frame);
    if (name === "tr") return this.#endRow(frame);
    if (name === "table") {
      return frame.table === undefined
        ? out
        : writeTable(frame.table, out, (one) => this.#rewrite(one));
    }
    if (out === "") return "";
    if (name === "a") return this.#writeLink(frame, outer);
    if (name === "sup" && /^[\w+−-]{1,4}$/.test(this.#rewrite(out))) return `^${out}`;
    if (name !== "summary" && NAMES.headings.has(name) && !inLink && out.length < MAX_AT_ONCE) {
      return `${"#".repeat(Number(name[1]))} ${inOneLine(this.#rewrite(out))}`;
    }
    if (name === "pre") return fenced(out, frame.language);
    if (name === "blockquote" && !inLink) return this.#prefix(frame, "> ", "> ");
    if (name === "li" && !inLink) {
      const marker = outer.name === "ol" ? `${outer.items++}. ` : "- ";
      return this.#prefix(frame, marker, " ".repeat(marker.length));
    }
    if (name === "dd") return `: ${out}`;
    const mark = name === "dt" ? "**" : ownValue(MARKS, name);
    const isMarked = !frame.hasLines && !frame.inHeading && name !== outer.name;
    return mark !== undefined && isMarked ? `${mark}${out}${mark}` : out;
  }

  #writeLink({ address, out, hasLines }: Frame, outer: Frame): string {
    if (address === "" || outer.inLink || hasLines) return out;
    // The mark beside a heading that leads to the heading itself.
    if (out.length < 4 && /^[#¶§🔗]+$/u.test(out)) return "";
    return this.#facts.isHere(address) ? out : `[${out}](${address})`;
  }

  #endCell({ out, hasLines, row, attributes, table }: Frame): string {
    if (row === undefined) return out;
    const isLong = hasLines && out.length > MAX_CELL;
    if (isLong && table !== undefined) table.isLayout = true;
    const span = Math.min(20, Number(attributes.get("colspan")) || 1);
    row.push({ text: out, hasLines, span });
    return "";
  }

  #endRow({ row, table, out }: Frame): string {
    const cells = row?.filter(({ text }) => text !== "") ?? [];
    if (table === undefined) return [out, ...cells.map(({ text }) => text)].join("\n").trim();
    if (row !== undefined && cells.length > 0) table.rows.push(row);
    return out;
  }

  /** Puts a marker before the first line and a prefix before the others. */
  #prefix({ out, hasLines, indents }: Frame, first: string, others: string): string {
    if (!hasLines || indents > MAX_INDENTS || out.length > MAX_AT_ONCE) return first + out;
    return first + this.#rewrite(out).replace(/\n(?=[^\n])/g, `\n${others}`);
  }

  #addVoid(name: string, attributes: Attributes): void {
    const frame = this.#top;
    if (frame.skips) return;
    if (frame.inCode) {
      if (name === "br") frame.out += "\n";
      return;
    }
    if (name === "br") frame.add("", 2, 2);
    if (name === "hr") frame.add(frame.inLink ? "" : "---", 3, 3);
    if (name !== "img" || attributes.get("aria-hidden") === "true") return;
    const alt = inOneLine((attributes.get("alt") ?? "").slice(0, MAX_ALT));
    const address = this.#facts.addressOf(attributes.get("src"));
    if (alt === "") return;
    if (frame.inLink) frame.linked += alt.length;
    frame.add(frame.inLink || address === "" ? alt : `![${alt}](${address})`, 1, 1);
  }

  #addFrame(attributes: Attributes): void {
    const address = this.#facts.addressOf(attributes.get("src"));
    const isHidden = this.#top.skips || this.#top.inCode || this.#top.inLink;
    if (address !== "" && !isHidden) this.#top.add(`[embedded page](${address})`, 2, 2);
  }

  /** Returns a text that is about to be rewritten. Throws PageGivenUp if this happens too often. */
  #rewrite(text: string): string {
    this.#rewritten += text.length;
    if (this.#rewritten > MAX_REWRITTEN) throw new PageGivenUp();
    return text;
  }
}
