// Finds the position and the reason of the first fault in a text that is not valid JSON. The errors of JSON.parse do not
// always contain a position.

/** The first fault of an invalid JSON text. */
export interface JsonFault {
  /** The index of the fault in UTF-16 code units. The text's length if the text ends too early. */
  position: number;
  /** A clause that describes the fault, such as `a value is expected`. */
  reason: string;
}

const SPACE = /[ \t\n\r]*/y;
// deno-lint-ignore no-control-regex -- JSON forbids just these
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
// deno-lint-ignore no-control-regex -- as above
const STRING_START = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or end";

const REASONS: Readonly<Record<Expected, string>> = {
  "value": "a value is expected",
  "value or ]": 'a value or "]" is expected',
  "key": 'a name in double quotes is expected (and no comma before "}")',
  "key or }": 'a name in double quotes or "}" is expected',
  "colon": '":" is expected',
  "comma or end":
    'a comma or the closing bracket is expected; a quote inside a string is written \\"',
};

/** Returns the first fault of a JSON text, or undefined if the text is valid. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length;
    at += length ?? 0;
    return length !== undefined;
  };
  for (;;) {
    take(SPACE);
    if (expected === "comma or end" && open.length === 0) {
      return at === text.length ? undefined : { position: at, reason: "something follows the end" };
    }
    const character: string = text.charAt(at);
    if (character === "") return { position: at, reason: "the text ends too early" };
    const wantsKey: boolean = expected === "key" || expected === "key or }";
    const wantsValue: boolean = expected === "value" || expected === "value or ]";
    const closes: boolean = expected === "comma or end"
      ? character === (open.at(-1) === "{" ? "}" : "]")
      : (expected === "value or ]" && character === "]") ||
        (expected === "key or }" && character === "}");
    if (closes) {
      at++;
      open.pop();
      expected = "comma or end";
    } else if (character === '"' && (wantsKey || wantsValue)) {
      if (!take(STRING)) return faultInString(take, text, () => at);
      expected = wantsKey ? "colon" : "comma or end";
    } else if (wantsValue && (character === "{" || character === "[")) {
      at++;
      open.push(character);
      expected = character === "{" ? "key or }" : "value or ]";
    } else if (wantsValue && take(SCALAR)) {
      expected = "comma or end";
    } else if (expected === "colon" && character === ":") {
      at++;
      expected = "value";
    } else if (expected === "comma or end" && character === ",") {
      at++;
      expected = open.at(-1) === "{" ? "key" : "value";
    } else {
      return { position: at, reason: REASONS[expected] };
    }
  }
}

function faultInString(
  take: (pattern: RegExp) => boolean,
  text: string,
  position: () => number,
): JsonFault {
  take(STRING_START);
  const at = position();
  const character = text.charAt(at);
  if (character === "") return { position: at, reason: "the text ends inside a string" };
  return {
    position: at,
    reason: character === "\\"
      ? "this escape is unknown; a backslash is written \\\\"
      : "a line break or control character is inside a string; write \\n for a line break",
  };
}
