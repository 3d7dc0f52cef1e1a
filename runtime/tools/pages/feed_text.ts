// Writes a feed as a list of its entries: RSS, Atom and JSON Feed.
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";
import { cutEnd } from "../../../base/text/cut_text.ts";
import { type Allowance, type MarkupHandler, readMarkup } from "./markup_reader.ts";
import { PageWriter } from "./page_writer.ts";

/** The maximum length of an entry's text, and of the source from which it is written. */
const MAX_ENTRY = 600;
const MAX_ENTRY_SOURCE = 20_000;
const MAX_CONTENT_DEPTH = 20;
/** The maximum number of entries that are written. */
const MAX_ENTRIES = 200;
/** Matches the first tag of a source, after declarations and comments without tags. */
const FIRST_TAG = /<([a-z][\w:]*)/i;
const FEED_TAGS: readonly (string | undefined)[] = ["rss", "feed", "rdf:RDF"];
const JSON_FEED = /^\s*\{[^]{0,500}?"https:\/\/jsonfeed\.org\/version\//;

/** The texts of a feed or an entry, by the names of their elements. */
type Texts = Map<string, string>;

/** An entry of a feed. `id` is its own id, or else its address or title. The other texts are empty if it has none. */
export interface FeedEntry {
  id: string;
  title: string;
  link: string;
  /** The entry as Markdown. */
  text: string;
}

/** Returns the first MAX_ENTRIES entries of a feed, and the number of all, or undefined if the source is no feed. */
export async function readFeed(
  source: string,
  context: { url: string; allowance: Allowance },
): Promise<{ title: string; entries: FeedEntry[]; count: number } | undefined> {
  const isXml = FEED_TAGS.includes(FIRST_TAG.exec(source.slice(0, 4_000))?.[1]);
  if (!isXml && !JSON_FEED.test(source.slice(0, 1_000))) return undefined;
  const read = isXml ? await readXmlFeed(source, context.allowance) : readJsonFeed(source);
  if (read === undefined) return undefined;
  const entries: FeedEntry[] = [];
  for (const entry of read.entries.slice(0, MAX_ENTRIES)) {
    const text = await writeEntry(entry, context);
    const title = plain(entry.get("title"));
    const written = (entry.get("link") ?? "").trim();
    const link = written === "" ? "" : URL.parse(written, context.url)?.href ?? "";
    const id = [entry.get("id"), entry.get("guid"), link, title || text];
    entries.push({ id: id.find((one) => one?.trim())?.trim() ?? "", title, link, text });
  }
  return { title: plain(read.feed.get("title")), entries, count: read.entries.length };
}

async function readXmlFeed(
  source: string,
  allowance: Allowance,
): Promise<{ feed: Texts; entries: Texts[] }> {
  const feed: Texts = new Map();
  const entries: Texts[] = [];
  const open: string[] = [];
  let entry: Texts | undefined;
  const put = (name: string, text: string) => {
    const texts = entry ?? feed;
    texts.set(name, (texts.get(name) ?? "") + text);
  };
  const handler: MarkupHandler = {
    open(written, attributes) {
      const name = localName(written);
      open.push(name);
      if (name === "item" || name === "entry") entries.push(entry = new Map());
      const rel = attributes.get("rel") ?? "alternate";
      const href = attributes.get("href");
      if (name === "link" && rel === "alternate" && href !== undefined) {
        if (!(entry ?? feed).has("link")) put("link", href);
      }
      const media = attributes.get("url");
      if (name === "enclosure" && media !== undefined) put("enclosure", `${media} `);
    },
    close(written) {
      const name = localName(written);
      // An end that fits no beginning is ignored.
      if (open.at(-1) === name) open.pop();
      if (name === "item" || name === "entry") entry = undefined;
    },
    text(text) {
      // Atom repeats in <source> the texts of the feed from which an entry comes.
      if (open.at(-2) === "source") return;
      const name = open.at(-1) ?? "";
      // The name of an author in Atom is one level deeper.
      if (name === "name" && open.at(-2) === "author") put("author", text);
      else if (entry === undefined) {
        if (name === "title" && /^(channel|feed)$/.test(open.at(-2) ?? "")) put(name, text);
      } else if (FIELDS.has(name)) put(name, text);
      else if (open.slice(-MAX_CONTENT_DEPTH).includes("content")) put("content", ` ${text}`);
    },
  };
  await readMarkup(source, { isXml: true, allowance }, handler);
  return { feed, entries };
}

const FIELDS: ReadonlySet<string> = new Set(
  "id title link guid pubDate date published updated creator author description summary content encoded"
    .split(" "),
);

/** Returns a name without its prefix. Elements for players repeat other elements, and keep theirs. */
function localName(name: string): string {
  return /^(itunes|media):/i.test(name) ? name : name.slice(name.indexOf(":") + 1);
}

function readJsonFeed(source: string): { feed: Texts; entries: Texts[] } | undefined {
  // A source that was cut is shown as it is.
  const value: unknown = isWholeJson(source) ? JSON.parse(source) : undefined;
  const items = isJsonObject(value) ? value["items"] : undefined;
  if (!isJsonObject(value) || !Array.isArray(items)) return undefined;
  return { feed: textsOf(value), entries: items.filter(isJsonObject).map(textsOf) };
}

function textsOf(object: JsonObject): Texts {
  const authors = [object["authors"], object["author"]].flat().filter(isJsonObject);
  const texts = Object.entries(object).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" || typeof value === "number"
      ? [[JSON_NAMES[name] ?? name, `${value}`]]
      : []
  );
  return new Map([...texts, ["author", authors.map(({ name }) => String(name ?? "")).join(", ")]]);
}

const JSON_NAMES: Readonly<Record<string, string>> = {
  ...{ url: "link", date_published: "published", date_modified: "updated" },
  ...{ content_html: "content", content_text: "encoded" },
};

async function writeEntry(
  entry: Texts,
  { url, allowance }: { url: string; allowance: Allowance },
): Promise<string> {
  const of = (...names: string[]) =>
    plain(names.map((name) => entry.get(name)).find((text) => text?.trim()));
  const address = URL.parse(of("link", "guid"), url)?.href ?? "";
  const author = of("creator", "author");
  const facts = [of("published", "pubDate", "date", "updated"), author && `by ${author}`];
  const html = ["summary", "description", "content", "encoded"]
    .map((name) => entry.get(name)).find((text) => text?.trim()) ?? "";
  const writer = new PageWriter({ url: address || url, keepsAll: true });
  await readMarkup(html.slice(0, MAX_ENTRY_SOURCE), { isXml: false, allowance }, writer);
  return [
    `## ${of("title") || "(no title)"}`,
    ...[address, ...facts, of("enclosure")].filter((one) => one !== ""),
    cutEnd(writer.end().text, MAX_ENTRY),
  ].filter((line) => line !== "").join("\n");
}

function plain(text: string | undefined): string {
  return cutEnd((text ?? "").replace(/<[^>]{0,200}>/g, "").replace(/\s+/g, " ").trim(), 300);
}
