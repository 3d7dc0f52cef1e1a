// Writes the messages about a retried run, which are equal in logs, on a terminal and on the page.

/** A scheduled retry of a failed run. */
export interface ShownRetry {
  /** The time of the retry: milliseconds since the epoch, or a timestamp. */
  at: number | string;
  /** The number of the next attempt, beginning with 1. */
  attempt: number;
  of: number;
  reason: string;
}

/** Returns `tries again at 08:10 (2 of 3): Cannot reach openai`, in local time. */
export function toRetryWords({ at, attempt, of, reason }: ShownRetry): string {
  const date = new Date(at);
  const [hours, minutes] = [date.getHours(), date.getMinutes()]
    .map((part) => String(part).padStart(2, "0"));
  return `tries again at ${hours}:${minutes} (${attempt} of ${of}): ${reason}`;
}

/** Returns the text of toRetryWords() as a sentence. */
export function toRetrySentence(retry: ShownRetry): string {
  return `T${toRetryWords(retry).slice(1)}`;
}
