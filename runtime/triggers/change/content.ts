// Selects the compared part of a checked content, and removes the ignored parts.
import { isWholeJson } from "../../../base/json.ts";
import { valueAt } from "../../../base/text/json_pointer.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { nextSlice } from "../../../base/slices.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import { type FeedEntry, readFeed } from "../../tools/pages/feed_text.ts";
import { toReadable } from "../../tools/pages/readable_text.ts";
import { selectPart } from "../../tools/pages/selected_part.ts";

const loadEngine = lazyModule(() => import("re2js"));
/** The maximum number of instructions of an expression. The time for one character is at most proportional to it. */
const MAX_INSTRUCTIONS = 2_000;
/** The maximum number of characters that an expression is applied to at once. */
const MAX_PART = 16 * 1024;
const MAX_COMPUTING_MS = 500;

/** The compared content: a text, or the entries of a feed, newest first as far as the feed has this order. */
export type Content = { text: string } | { entries: FeedEntry[] };

/**
 * Returns the compared content of a source. Without `select`, a feed becomes its entries, JSON one line for each value, a
 * page its main part as Markdown. Throws ToolFailure if nothing is selected.
 */
export async function toContent(
  source: string,
  { type, url, select, ignore }: {
    type: string;
    url: string;
    select: string | undefined;
    ignore: readonly string[];
  },
): Promise<Content> {
  const text = select === undefined
    ? await readWhole(source, { type, url })
    : select.startsWith("/")
    ? selectValue(source, select)
    : await selectPart(source, select, url);
  return typeof text === "string"
    ? { text: await withoutIgnored(text, ignore) }
    : { entries: text };
}

async function readWhole(
  source: string,
  { type, url }: { type: string; url: string },
): Promise<string | FeedEntry[]> {
  const allowance = { ms: MAX_COMPUTING_MS };
  const feed = url === "" ? undefined : await readFeed(source, { url, allowance });
  if (feed !== undefined) return feed.entries;
  if (/json\b/i.test(type) && isWholeJson(source)) {
    return JSON.stringify(JSON.parse(source), null, 2);
  }
  return (await toReadable(source, { type, url }))?.text ?? source;
}

function selectValue(source: string, pointer: string): string {
  if (!isWholeJson(source)) {
    throw new ToolFailure("the reply is not JSON, so it has no value to select");
  }
  const value = valueAt(JSON.parse(source), pointer);
  if (value === undefined) throw new ToolFailure(`the JSON has no value at ${pointer}`);
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Removes the matches of the expressions within each line. Lets other work run meanwhile. */
async function withoutIgnored(text: string, ignore: readonly string[]): Promise<string> {
  if (ignore.length === 0) return text;
  const { RE2JS, RE2JSException } = await loadEngine();
  const engines = ignore.map((source) => {
    try {
      return RE2JS.compile(RE2JS.translateRegExp(source));
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      throw new ToolFailure(`${source} of trigger.ignore is no expression of RE2`);
    }
  });
  if (engines.some((engine) => engine.programSize() > MAX_INSTRUCTIONS)) {
    throw new ToolFailure("an expression of trigger.ignore is too complicated");
  }
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    let kept = "";
    for (let at = 0; at < line.length; at += MAX_PART) {
      let part = line.slice(at, at + MAX_PART);
      for (const engine of engines) {
        await nextSlice();
        part = engine.matcher(part).replaceAll("");
      }
      kept += part;
    }
    lines.push(kept);
  }
  return lines.join("\n");
}
