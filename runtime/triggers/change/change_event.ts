// Describes a found change as the cause of a run.
import type { EventCause } from "../../vocabulary/run_cause.ts";
import { beginningOf } from "../../../base/text/cut_text.ts";
import { unifiedDiff } from "../../../base/text/unified_diff.ts";
import type { FeedEntry } from "../../tools/pages/feed_text.ts";

/** The maximum length of the old text, the new text and the difference, each. */
export const MAX_KEPT_CHARACTERS = 64 * 1024;
/** The maximum length of the old and the new text in a user message without `trigger.input`. */
const MAX_SHOWN_CHARACTERS = 4 * 1024;

/** Returns the cause for a text that has changed. The texts are cut to MAX_KEPT_CHARACTERS. */
export async function changeOf(source: string, before: string, after: string): Promise<EventCause> {
  const [old, now] = [before, after].map((text) => beginningOf(text, MAX_KEPT_CHARACTERS));
  const { diff } = await unifiedDiff(old ?? "", now ?? "");
  const values = {
    old: old ?? "",
    new: now ?? "",
    diff: beginningOf(diff, MAX_KEPT_CHARACTERS) || "(The texts differ after their first 64 KB.)",
  };
  const isShort = Math.max(values.old.length, values.new.length) <= MAX_SHOWN_CHARACTERS;
  const shown = ["diff", ...(isShort ? ["old", "new"] : [])];
  return {
    type: "change",
    summary: `The content of ${JSON.stringify(source)} has changed.`,
    values,
    shown,
  };
}

/** Returns the cause for one new entry of a feed. */
export function entryOf(source: string, { title, link, text }: FeedEntry): EventCause {
  const summary = `The feed ${JSON.stringify(source)} has a new entry.`;
  const values = { title, link, new: beginningOf(text, MAX_KEPT_CHARACTERS) };
  return { type: "change", summary, values, shown: ["new"] };
}

/** Returns the cause for several new entries of a feed. */
export function entriesOf(source: string, entries: readonly FeedEntry[]): EventCause {
  const count = entries.length === 1 ? "a new entry" : `${entries.length} new entries`;
  const text = entries.map((entry) => entry.text).join("\n\n");
  return {
    type: "change",
    summary: `The feed ${JSON.stringify(source)} has ${count}.`,
    values: { new: beginningOf(text, MAX_KEPT_CHARACTERS) },
    shown: ["new"],
  };
}
