// Converts JSON with comments and trailing commas, as editors write it, to plain JSON.

/**
 * Matches a string, a comment, a bracket or comma, white space, or anything else. No alternative has a lookahead, so that
 * matching takes linear time.
 */
const PARTS = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)|[,}\]]|\s+|[^"/,}\]\s]+|\//g;

/** Returns plain JSON with spaces in place of comments and trailing commas, so that every position stays the same. */
export function toPlainJson(text: string): string {
  const parts: string[] = [];
  let comma = -1;
  for (const [part] of text.matchAll(PARTS)) {
    const isComment = part.length > 1 && part.startsWith("/");
    const isSeen = !isComment && part.trim() !== "";
    if (comma >= 0 && (part === "}" || part === "]")) parts[comma] = " ";
    if (isSeen) comma = part === "," ? parts.length : -1;
    parts.push(isComment ? part.replaceAll(/\S/g, " ") : part);
  }
  return parts.join("");
}
