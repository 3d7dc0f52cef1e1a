// Decides by an element's name, attributes and links: its place in the text, and if it belongs to the page's main part.
import type { Attributes } from "./markup_reader.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Elements without an end tag. */
export const VOID = words(
  "area base br col embed frame hr img input link meta param source track wbr",
);
/** Elements that begin and end a line. */
export const BLOCKS = words(
  "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody tfoot thead " +
    "caption td th tr ul",
);
/** Blocks with an empty line before and after. */
export const PARAGRAPHS = words(
  "article blockquote dl figure h1 h2 h3 h4 h5 h6 hr main ol p pre section table ul",
);
/** The Markdown marks around inline elements. */
export const MARKS: Readonly<Record<string, string>> = {
  ...{ b: "**", strong: "**", i: "_", em: "_", del: "~~", s: "~~", strike: "~~" },
  ...{ code: "`", kbd: "`", samp: "`", tt: "`" },
};
const SKIPPED = words(
  "audio button canvas datalist dialog embed iframe input noscript object script select style svg template textarea title video",
);
const SKIPPED_ROLES = words("alertdialog dialog menu menubar search tooltip");
const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** Returns true if nothing of an element is shown. A button is shown in a heading, where it opens a section. */
export function isSkipped(name: string, attributes: Attributes, inHeading: boolean): boolean {
  if (SKIPPED.has(name)) return name !== "button" || !inHeading;
  if (attributes.size === 0) return false;
  return name !== "body" &&
    (attributes.has("hidden") && attributes.get("hidden") !== "until-found" ||
      attributes.get("aria-hidden") === "true" ||
      SKIPPED_ROLES.has(attributes.get("role") ?? "") ||
      HIDDEN_STYLE.test(attributes.get("style") ?? ""));
}

/** Returns true for the element that contains the page's main part. */
export function isMain(name: string, attributes: Attributes): boolean {
  return name === "main" || attributes.size > 0 && attributes.get("role") === "main";
}

/** Facts about a finished element. */
export interface ElementFacts {
  name: string;
  attributes: Attributes;
  /** The number of characters of its text, and of the text in its links. */
  characters: number;
  linked: number;
  links: number;
  /** True if the element contains a heading of the first level. */
  hasTitle: boolean;
}

const NAVIGATION_ROLES = words("navigation banner contentinfo complementary");
const BESIDE =
  /(?:^|[\s_-])(?:breadcrumbs?|nav|navbar|navigation|menu|sidebar|pagination|pager|share|sharing|social|related|recommended|recommendations|toc|toolbar|tags|footer)(?:$|[\s_-])/i;
const NOTICE =
  /(?:^|[\s_-])(?:cookies?|cookiebar|consent|gdpr|newsletter|subscribe|signup|ads?|advert|advertisement|sponsored|promo|popup|modal|skip-?link|skip|sr-only|visually-hidden|screen-reader-text|paywall)(?:$|[\s_-])/i;

/**
 * Returns true if an element is not of the main part: navigation, a notice, or a list of links beside the text. `inMain` is
 * true for an element within `main` or `article`.
 */
export function isBeside(facts: ElementFacts, inMain: boolean): boolean {
  const { name, attributes, characters, linked, links, hasTitle } = facts;
  if (!BLOCKS.has(name)) return false;
  if (name === "main" || name === "article" || name === "body" || name === "html") return false;
  const share = characters === 0 ? 0 : linked / characters;
  const role = attributes.get("role") ?? "";
  if (hasTitle && share < 0.5) return false;
  if (name === "nav" || NAVIGATION_ROLES.has(role) && (!inMain || share > 0.3)) return true;
  if (name === "aside") return !inMain || share > 0.3;
  if (name === "footer" || name === "header") return !inMain || share > 0.5;
  const label = attributes.size === 0
    ? " "
    : `${attributes.get("class") ?? ""} ${attributes.get("id") ?? ""}`;
  if (label !== " " && characters < 1_500) {
    if (NOTICE.test(label)) return true;
    if (BESIDE.test(label) && share > 0.4 && links > 1) return true;
  }
  // A menu without a name: many short links, and nothing else.
  return !inMain && links >= 5 && share > 0.8 && linked / links < 20;
}
