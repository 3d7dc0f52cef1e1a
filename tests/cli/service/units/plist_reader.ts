// Reads an XML property list without using its writer's code.

/** A value of a property list. */
export type PlistValue = string | number | boolean | PlistValue[] | { [key: string]: PlistValue };

/** Parses a property list. Throws for invalid XML. */
export function readPlist(xml: string): { [key: string]: PlistValue } {
  const comment = /<!--([\s\S]*?)-->/.exec(xml);
  if (comment?.[1]?.includes("--")) throw new Error("two hyphens inside of a comment");
  const reader = new Reader(
    xml.replace(/<!--[\s\S]*?-->/, "").replace(/^[\s\S]*?<plist[^>]*>/, ""),
  );
  const value = reader.value();
  if (typeof value !== "object" || Array.isArray(value)) throw new Error("no dictionary");
  return value;
}

class Reader {
  #rest: string;

  constructor(text: string) {
    this.#rest = text;
  }

  value(): PlistValue {
    const kind = this.#take(/^<(\w+)(\/?)>/);
    switch (kind) {
      case "true":
      case "false":
        return kind === "true";
      case "string":
        return this.#text("string");
      case "integer":
        return Number(this.#text("integer"));
      case "array": {
        const items: PlistValue[] = [];
        while (!this.#ends("array")) items.push(this.value());
        return items;
      }
      case "dict": {
        const entries: [string, PlistValue][] = [];
        while (!this.#ends("dict")) {
          if (this.#take(/^<(key)>/) !== "key") throw new Error("no key");
          entries.push([this.#text("key"), this.value()]);
        }
        return Object.fromEntries(entries);
      }
      default:
        throw new Error(`an unknown element: ${kind}`);
    }
  }

  #text(name: string): string {
    const end = this.#rest.indexOf(`</${name}>`);
    const raw = this.#rest.slice(0, end);
    if (end < 0 || /[<>]/.test(raw)) throw new Error(`no text of <${name}>: ${raw}`);
    this.#rest = this.#rest.slice(end + name.length + 3);
    return raw.replaceAll(/&(\w*;?)/g, (_, entity: string) => {
      const found = { "amp;": "&", "lt;": "<", "gt;": ">" }[entity];
      if (found === undefined) throw new Error(`an unknown entity: ${entity}`);
      return found;
    });
  }

  #ends(name: string): boolean {
    const found = new RegExp(`^\\s*</${name}>`).exec(this.#rest);
    if (found !== null) this.#rest = this.#rest.slice(found[0].length);
    return found !== null;
  }

  #take(pattern: RegExp): string {
    const text = this.#rest.trimStart();
    const found = pattern.exec(text);
    if (found?.[1] === undefined) throw new Error(`not expected: ${text.slice(0, 60)}`);
    this.#rest = text.slice(found[0].length);
    return found[1];
  }
}
