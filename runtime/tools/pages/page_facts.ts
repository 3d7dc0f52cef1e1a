// Reads the facts about a page that its tags give, and completes its addresses.
import { cutEnd } from "../../../base/text/cut_text.ts";
import { inOneLine } from "./markdown_parts.ts";
import type { Attributes } from "./markup_reader.ts";

const MAX_FACT = 500;
const MAX_ADDRESS = 2_000;
const MAX_FEEDS = 3;
/** Matches an address that needs no change. Parsing an address takes longer than the rest of a link. */
const ABSOLUTE = /^https?:\/\/[\w.-]+\/[\w./?=&%~+,:;@!$*#-]*$/;

/** The facts about a page. */
export class PageFacts {
  title = "";
  /** The text that the page shows if scripts do not run. */
  notice = "";
  description = "";
  /** The addresses of the page's feeds. */
  readonly feeds: string[] = [];
  #base: string;

  constructor(url: string) {
    this.#base = url;
  }

  /** Reads the facts in a tag. */
  read(name: string, attributes: Attributes): void {
    const of = (attribute: string) => attributes.get(attribute) ?? "";
    if (name === "base") this.#base = this.addressOf(of("href")) || this.#base;
    if (name === "meta" && /^(og:)?description$/.test(of("name") || of("property"))) {
      this.description ||= of("content");
    }
    if (name === "link" && /^application\/(rss|atom|feed)\+/.test(of("type"))) {
      const address = this.addressOf(of("href"));
      if (address !== "" && this.feeds.length < MAX_FEEDS) this.feeds.push(address);
    }
  }

  /** Returns a fact in one line. */
  inShort(fact: "title" | "notice" | "description"): string {
    return cutEnd(inOneLine(this[fact].slice(0, 2 * MAX_FACT)), MAX_FACT);
  }

  /** Returns an absolute address for the web, a mail or a call, or an empty text. */
  addressOf(written: string | undefined): string {
    if (written === undefined || written.length > MAX_ADDRESS) return "";
    if (ABSOLUTE.test(written)) return written;
    const url = URL.parse(written.trim(), this.#base);
    if (url === null || !/^(https?|mailto|tel):$/.test(url.protocol)) return "";
    return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
  }

  /** Returns true for the address of a place in this page. */
  isHere(address: string): boolean {
    return address.startsWith(`${this.#base.split("#")[0]}#`);
  }
}
