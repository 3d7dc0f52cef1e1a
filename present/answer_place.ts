// Describes the place and the sender of an answer to a question, or of another change.

/** The words for the ways by which people, programs and the disk change something. */
export const PLACES: Readonly<Record<string, string>> = {
  terminal: "at a terminal",
  page: "on the page",
  link: "by the link in a message",
  editor: "in an editor",
  chat: "in a chat app",
  mail: "by mail",
  program: "by a program",
  api: "over the HTTP API",
  disk: "on the disk",
};

/** Returns true if a log entry is an answer that names its place, and not the end of a question that expired. */
export function isGiven({ answered_via: via }: Readonly<Record<string, unknown>>): boolean {
  return via !== undefined && via !== "nobody";
}

/** Returns the words for an answer's log entry, such as `by owner in a chat app`. */
export function describeAnswerPlace(
  { answered_via: via, answered_by: name }: Readonly<Record<string, unknown>>,
): string {
  const place = PLACES[String(via)] ?? "over the HTTP API";
  return typeof name === "string" ? `by ${name} ${place}` : place;
}
