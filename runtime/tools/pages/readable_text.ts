// Converts an HTML page or a feed to the text that a model reads.
import { readFeed } from "./feed_text.ts";
import { type Allowance, readMarkup } from "./markup_reader.ts";
import { PageGivenUp, PageWriter, type WrittenPage } from "./page_writer.ts";

/** A page with less text than this is read again with its navigation, if the navigation is most of it. */
const LITTLE_TEXT = 200;

/** Matches the beginning of a page. Some servers declare JSON and plain text as HTML. */
const PAGE = /^\s*[^\s{[][^]*?<[a-z!]|^\s*<[a-z!]/i;
/** The time limit of a conversion in milliseconds. It counts only the time in which the conversion computes. */
const MAX_COMPUTING_MS = 500;

/**
 * Returns the main part of an HTML page as Markdown, or the entries of a feed, and lines about the conversion. Returns
 * undefined if the source is neither. `type` is its media type. Lets other work run meanwhile.
 */
export async function toReadable(
  source: string,
  { type, url }: { type: string; url: string },
): Promise<{ about: string[]; text: string } | undefined> {
  const allowance: Allowance = { ms: MAX_COMPUTING_MS };
  const feed = await readFeed(source, { url, allowance });
  if (feed !== undefined) {
    const { title, entries, count } = feed;
    const text = entries.map((entry) => entry.text).join("\n\n");
    const shown = entries.length < count ? `${entries.length} of ${count}` : `${count}`;
    const about = `a feed of ${shown} entries as text, ${counts(text, source)}`;
    return { about: describe(title, about), text };
  }
  const isPage = /^(text\/html|application\/xhtml)/i.test(type) &&
    PAGE.test(source.slice(0, 4_000));
  if (!isPage) return undefined;
  try {
    const page = await writePage(source, { url, allowance });
    const { facts, leftOut, read } = page;
    const isWhole = read === source.length;
    const none = isWhole ? describeEmpty(page) : "(The converted part has no text.)";
    const text = page.text === "" ? none : page.text;
    const beside = leftOut === 0 ? "" : `, without ${leftOut} of navigation and the like`;
    const part = isWhole
      ? ""
      : ` (only the first ${read} were converted, because the page takes too long)`;
    const about = `the page's main part as Markdown, ${counts(text, source)}${part}${beside}`;
    return {
      about: [
        ...describe(facts.inShort("title"), about),
        ...facts.feeds.map((one) => `feed: ${one}`),
      ],
      text,
    };
  } catch (error) {
    if (!(error instanceof PageGivenUp)) throw error;
    return {
      about: ["body: the source, because its elements are nested too deeply"],
      text: source,
    };
  }
}

/**
 * Returns the whole of an HTML document as Markdown, with its navigation. A document that takes too long is cut. Returns
 * undefined if nothing can be converted.
 */
export async function toMarkdown(source: string): Promise<string | undefined> {
  const writer = new PageWriter({ url: "about:blank", keepsAll: true });
  try {
    const allowance: Allowance = { ms: MAX_COMPUTING_MS };
    const read = await readMarkup(source, { isXml: false, allowance }, writer);
    const { text } = writer.end();
    if (read === source.length) return text;
    return text === "" ? undefined : `${text}\n\n[This was cut here: it takes too long.]`;
  } catch (error) {
    if (!(error instanceof PageGivenUp)) throw error;
    return undefined;
  }
}

function describe(title: string, body: string): string[] {
  return [
    ...(title === "" ? [] : [`title: ${title}`]),
    `body: ${body}; raw: true returns the source`,
  ];
}

function counts(text: string, source: string): string {
  return `${text.length} characters from ${source.length} of source`;
}

async function writePage(
  source: string,
  { url, allowance }: { url: string; allowance: Allowance },
): Promise<WrittenPage & { read: number }> {
  const write = async (keepsAll: boolean) => {
    const writer = new PageWriter({ url, keepsAll });
    const read = await readMarkup(source, { isXml: false, allowance }, writer);
    return { ...writer.end(), read };
  };
  const page = await write(false);
  const { length } = page.text;
  const isMenu = length < (page.hasMain ? 1 : LITTLE_TEXT) && page.leftOut > 2 * length;
  return isMenu ? await write(true) : page;
}

function describeEmpty({ facts }: WrittenPage): string {
  const [notice, description] = [facts.inShort("notice"), facts.inShort("description")];
  return [
    "(The page has no text: it is only script, which is not run. Its data may be in the source (raw: true), or at an " +
    "address that the script requests.)",
    ...(notice === "" ? [] : [`It says without scripts: ${notice}`]),
    ...(description === "" ? [] : [`It describes itself: ${description}`]),
  ].join("\n");
}
