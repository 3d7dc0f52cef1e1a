// Compares the content of a source with the last check, and describes the changes as causes of runs.
import type { Trigger } from "../../agents/agent.ts";
import { sha256Of } from "../../../base/sha256.ts";
import { beginningOf } from "../../../base/text/cut_text.ts";
import { fnv1a } from "../../../base/text/fnv1a.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { FeedEntry } from "../../tools/pages/feed_text.ts";
import type { EventCause } from "../../vocabulary/run_cause.ts";
import type { Content } from "./content.ts";
import type { Validators } from "./read_source.ts";
import { unifiedDiff } from "../../../base/text/unified_diff.ts";

/** The maximum number of entries of a feed that are remembered. */
const MAX_IDS = 3_000;
/** The maximum length of the old text, the new text and the difference, each. */
const MAX_KEPT_CHARACTERS = 64 * 1024;
/** The maximum length of the old and the new text in a user message without `trigger.input`. */
const MAX_SHOWN_CHARACTERS = 4 * 1024;

/** The result of the last check of an agent's source, as stored. */
export interface LastCheck extends Validators {
  /** The digest of the settings that decide what is compared. */
  source: string;
  /** The digest and the beginning of the text. Absent for a feed. */
  digest?: string;
  text?: string;
  /** The digests of the ids of a feed's entries, newest first. Absent for a text. */
  ids?: string[];
}

/** The result of a comparison. */
export interface Compared {
  /** The runs that the check starts, oldest first, each with the stored check after it. */
  found: { event: EventCause; after: LastCheck }[];
  after: LastCheck;
  /** True if there was nothing to compare with. */
  isFirst: boolean;
}

/**
 * Compares a content with the last check. `base` is the beginning of the next one. Throws ToolFailure if a feed was expected
 * and the content is none, because all entries of the next feed would be new.
 */
export async function compareContent(
  trigger: Trigger<"change">,
  content: Content,
  { last, base }: { last: LastCheck | undefined; base: LastCheck },
): Promise<Compared> {
  if ("entries" in content) {
    // The entries of a page that has become a feed are not new.
    const known = last?.ids === undefined ? undefined : last;
    const compared = await compareEntries(trigger, content.entries, { last: known, base });
    return { ...compared, isFirst: known === undefined };
  }
  if (trigger.each || last?.ids !== undefined) throw new ToolFailure("the content is no feed");
  return {
    ...await compareText(trigger, content.text, { last, base }),
    isFirst: last === undefined,
  };
}

async function compareText(
  trigger: Trigger<"change">,
  text: string,
  { last, base }: { last: LastCheck | undefined; base: LastCheck },
): Promise<{ found: Compared["found"]; after: LastCheck }> {
  const digest = await sha256Of(text);
  const after = { ...base, digest, text: beginningOf(text, MAX_KEPT_CHARACTERS) };
  if (last?.digest === digest) return { found: [], after };
  const event = await changeOf(nameOf(trigger), last?.text ?? "", text);
  return { found: [{ event, after }], after };
}

async function compareEntries(
  trigger: Trigger<"change">,
  entries: readonly FeedEntry[],
  { last, base }: { last: LastCheck | undefined; base: LastCheck },
): Promise<{ found: Compared["found"]; after: LastCheck }> {
  const ids = await Promise.all(entries.map(async ({ id }) => (await sha256Of(id)).slice(0, 16)));
  const known = last?.ids ?? [];
  const add = (added: string[]) => ({
    ...base,
    ids: [...new Set([...added, ...known])].slice(0, MAX_IDS),
  });
  const isKnown = new Set(known);
  // An entry that a feed contains twice is one entry.
  const fresh = entries.map((entry, index) => ({ entry, id: ids[index] ?? "" }))
    .filter(({ id }, index) => !isKnown.has(id) && ids.indexOf(id) === index);
  const after = add(ids);
  if (fresh.length === 0) return { found: [], after };
  const source = nameOf(trigger);
  if (!trigger.each) {
    return { found: [{ event: entriesOf(source, fresh.map(({ entry }) => entry)), after }], after };
  }
  const oldestFirst = fresh.toReversed();
  const found = oldestFirst.map(({ entry }, index) => ({
    event: entryOf(source, entry),
    // The validators are stored with the last entry, so that the entries after a crash are found again.
    after: index === oldestFirst.length - 1
      ? after
      : { source: base.source, ids: add(oldestFirst.slice(0, index + 1).map(({ id }) => id)).ids },
  }));
  return { found, after };
}

const nameOf = ({ url, command }: Trigger<"change">) => url ?? command ?? "";

/** Returns a digest of the settings that decide what is compared. With other settings, the next check is the first. */
export function sourceDigest({ url, command, select, ignore }: Trigger<"change">): string {
  return fnv1a(JSON.stringify([url, command, select, ignore])).toString(36);
}

/** Returns the cause for a text that has changed. The texts are cut to MAX_KEPT_CHARACTERS. */
async function changeOf(source: string, before: string, after: string): Promise<EventCause> {
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
function entryOf(source: string, { title, link, text }: FeedEntry): EventCause {
  const summary = `The feed ${JSON.stringify(source)} has a new entry.`;
  const values = { title, link, new: beginningOf(text, MAX_KEPT_CHARACTERS) };
  return { type: "change", summary, values, shown: ["new"] };
}

/** Returns the cause for several new entries of a feed. */
function entriesOf(source: string, entries: readonly FeedEntry[]): EventCause {
  const count = entries.length === 1 ? "a new entry" : `${entries.length} new entries`;
  const text = entries.map((entry) => entry.text).join("\n\n");
  return {
    type: "change",
    summary: `The feed ${JSON.stringify(source)} has ${count}.`,
    values: { new: beginningOf(text, MAX_KEPT_CHARACTERS) },
    shown: ["new"],
  };
}
