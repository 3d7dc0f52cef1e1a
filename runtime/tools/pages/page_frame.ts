// An open element of a page, with the text that was written for it so far.
import type { Attributes } from "./markup_reader.ts";
import { isMain, isSkipped } from "./page_rules.ts";
import type { Cell, Table } from "./markdown_parts.ts";

/** A distance between two texts: nothing, a space, a line break or an empty line. */
export type Gap = 0 | 1 | 2 | 3;
const GAPS = ["", " ", "\n", "\n\n"] as const;
/** Returns the widest of these distances. */
export const widest = (...gaps: Gap[]): Gap => Math.max(...gaps) as Gap;

/** Names of elements that are handled alike. */
export const NAMES = {
  headings: new Set(["h1", "h2", "h3", "h4", "h5", "h6", "summary"]),
  indented: new Set(["ul", "ol", "blockquote"]),
};

/** An open element. */
export class Frame {
  out = "";
  /** The distance from the text before this element, and from the element's text to the text after it. */
  lead: Gap = 0;
  gap: Gap = 0;
  hasLines = false;
  characters = 0;
  linked = 0;
  links = 0;
  hasTitle: boolean;
  items = 1;
  language = "";
  // Inherited by inner elements:
  readonly skips: boolean;
  readonly inLink: boolean;
  readonly inHeading: boolean;
  readonly inMain: boolean;
  readonly inCode: boolean;
  readonly indents: number;
  readonly table: Table | undefined;
  readonly row: Cell[] | undefined;

  constructor(
    readonly name: string,
    readonly attributes: Attributes,
    /** The absolute address of a link, or an empty text. */
    readonly address: string,
    outer: Frame | undefined,
  ) {
    this.hasTitle = name === "h1";
    this.inHeading = outer?.inHeading === true || NAMES.headings.has(name);
    this.skips = outer?.skips === true || name === "head" ||
      isSkipped(name, attributes, this.inHeading);
    this.inLink = outer?.inLink === true || address !== "";
    this.inMain = outer?.inMain === true || isMain(name, attributes) || name === "article";
    this.inCode = outer?.inCode === true || name === "pre";
    this.indents = (outer?.indents ?? 0) + (NAMES.indented.has(name) ? 1 : 0);
    this.table = name === "table" ? { rows: [], isLayout: false } : outer?.table;
    if (name === "table" && outer?.table !== undefined) outer.table.isLayout = true;
    this.row = name === "tr" ? [] : name === "table" ? undefined : outer?.row;
    if (name === "ol") this.items = Number(attributes.get("start") ?? 1) || 1;
  }
  /** Appends a text with the distances before and after it. The lines of a link are joined. */
  add(text: string, before: Gap, after: Gap): void {
    const most = this.inLink ? 1 : 3;
    const gap = Math.min(most, widest(this.gap, before)) as Gap;
    if (text === "") {
      this.gap = Math.min(most, widest(gap, after)) as Gap;
      return;
    }
    if (this.out === "") this.lead = gap;
    else {
      this.out += GAPS[gap];
      if (gap > 1) this.hasLines = true;
    }
    this.out += text;
    this.gap = Math.min(most, after) as Gap;
  }
}
