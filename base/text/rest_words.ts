// Writes the texts about a resting run, which are equal in logs, on a terminal and on the page.
import { DAY_MS } from "../time_units.ts";
import { type ShownRetry, toRetryWords } from "./retry_words.ts";

/** The rest of a run. */
export interface ShownRest {
  /** The planned end: milliseconds since the epoch, or a timestamp. */
  until: number | string;
  reason: string;
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
/** The maximum number of days for which a weekday names a day. */
const LONGEST_DAYS = 6;

/**
 * Returns `rests until Mon 08:00 · reason`, in local time. Without `now`, or for an end more than six days after it, the
 * text has the date, too.
 */
export function toRestWords({ until, reason }: ShownRest, now?: number): string {
  const end = new Date(until);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const isFar = now === undefined || end.getTime() - now > LONGEST_DAYS * DAY_MS;
  const date = `${end.getFullYear()}-${twoDigits(end.getMonth() + 1)}-${twoDigits(end.getDate())} `;
  const day = `${DAYS[end.getDay()]} ${isFar ? date : ""}`;
  const time = `${twoDigits(end.getHours())}:${twoDigits(end.getMinutes())}`;
  return `rests until ${day}${time} · ${reason}`;
}

/** Returns the text of toRestWords() as a sentence, for a rest that begins at `since`. */
export function toRestSentence(rest: ShownRest & { since: number }): string {
  return `R${toRestWords(rest, rest.since).slice(1)}`;
}

/** The fields of an execution in the API that describe its rest. */
interface RestingExecution {
  retry?: ShownRetry | undefined;
  rests_until?: string | undefined;
  rests_for?: string | undefined;
}

/** Returns the words about an execution's planned retry, or else about its rest. Undefined if it does not rest. */
export function toPauseWords(
  { retry, rests_until: until, rests_for: reason = "" }: RestingExecution,
  now?: number,
): string | undefined {
  if (retry !== undefined) return toRetryWords(retry);
  return until === undefined ? undefined : toRestWords({ until, reason }, now);
}

/** Returns the text of toPauseWords() as a sentence. */
export function toPauseSentence(execution: RestingExecution, now?: number): string | undefined {
  const words = toPauseWords(execution, now);
  return words && words.charAt(0).toUpperCase() + words.slice(1);
}
