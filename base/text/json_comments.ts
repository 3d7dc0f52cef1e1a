// JSON as editors and other programs write it for people: with comments, and a comma behind the last member.

/** A string, a comment, a bracket or comma, space, or anything else. None of them looks ahead: it takes linear time. */
const PARTS = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)|[,}\]]|\s+|[^"/,}\]\s]+|\//g;

/** The text as plain JSON: spaces in place of what JSON has not, so that every place in it stays the same. */
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
