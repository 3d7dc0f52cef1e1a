// Reads an XML property list without using its writer's code.

/** A value of a property list. */
export type PlistValue = string | number | boolean | PlistValue[] | { [key: string]: PlistValue };

/** Parses a property list. Throws for invalid XML. */
export function readPlist(xml: string): { [key: string]: PlistValue } {
  const comment = /<!--([\s\S]*?)-->/.exec(xml);
  if (comment?.[1]?.includes("--")) throw new Error("two hyphens inside of a comment");
  const body = xml.replace(/<!--[\s\S]*?-->/, "").replace(/^[\s\S]*?<plist[^>]*>/, "");
  // Each element without elements in it is one token. Its text contains no `<` and `>`.
  const tokens = body.match(/<(string|integer|key)>[^<>]*<\/\1>|<\/?\w+\/?>|[^<>\s]+|[<>]/g) ?? [];
  const value = readValue(tokens);
  if (typeof value !== "object" || Array.isArray(value)) throw new Error("no dictionary");
  return value;
}

function readValue(tokens: string[]): PlistValue {
  const token = tokens.shift() ?? "";
  const [, kind = token, raw = ""] = /^<(\w+)>(.*)<\/\w+>$/s.exec(token) ?? [];
  switch (kind) {
    case "<true/>":
    case "<false/>":
      return kind === "<true/>";
    case "string":
    case "key":
      return toText(raw);
    case "integer":
      return Number(raw);
    case "<array>":
      return readUntil("</array>", tokens);
    case "<dict>": {
      const items = readUntil("</dict>", tokens);
      return Object.fromEntries(
        items.flatMap((key, at) => at % 2 === 0 ? [[String(key), items[at + 1] ?? ""]] : []),
      );
    }
    default:
      throw new Error(`not expected: ${token}`);
  }
}

function readUntil(end: string, tokens: string[]): PlistValue[] {
  const items: PlistValue[] = [];
  while (tokens[0] !== end) items.push(readValue(tokens));
  tokens.shift();
  return items;
}

function toText(raw: string): string {
  return raw.replaceAll(/&(\w*;?)/g, (_, entity: string) => {
    const found = { "amp;": "&", "lt;": "<", "gt;": ">" }[entity];
    if (found === undefined) throw new Error(`an unknown entity: ${entity}`);
    return found;
  });
}
