// Attacks the check of tool arguments with JSON schemas of custom tools. With these schemas, a check would never end or
// would fill the memory.
import { SystemClock } from "../../base/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ToolWorld } from "../../tests/runtime/tools/custom/tool_world.ts";
import type { Attack } from "./attack.ts";

/**
 * The maximum time in milliseconds for which the event loop may be blocked. A busy machine alone blocks it for less.
 * Without the limits of the check, one check takes minutes.
 */
const STALL_MS = 30_000;

/** A clock that waits a tenth of each requested time. */
class QuickClock extends SystemClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(ms / 10, signal);
  }
}

const BRANCHES = Object.fromEntries(
  Array.from({ length: 60 }, (_, level) => [`l${level}`, {
    allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }],
  }]),
);

/** Schemas, each with arguments for which an unguarded check does not end. */
const CASES: readonly { parameters: JsonObject; args: JsonObject }[] = [
  of({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(60)}!`),
  of({ patternProperties: { "^(a|aa)+$": {} } }, { [`${"a".repeat(90)}!`]: 1 }),
  of({ propertyNames: { pattern: "^(a|a?)+$" } }, { [`${"a".repeat(90)}!`]: 1 }),
  of({ $ref: "#/$defs/l0" }, 1, { ...BRANCHES, l60: { type: "string" } }),
  of({ not: { $ref: "#/$defs/l0" } }, 1, { ...BRANCHES, l60: {} }),
  of({ uniqueItems: true }, Array.from({ length: 80_000 }, (_, n) => ({ n }))),
  of(
    { items: { anyOf: Array.from({ length: 2_000 }, (_, n) => ({ const: n })) } },
    Array.from({ length: 100_000 }, () => -1),
  ),
];

function of(property: JsonObject, value: JsonValue, $defs: JsonObject = {}) {
  return { parameters: { type: "object", $defs, properties: { a: property } }, args: { a: value } };
}

/** Opens, checks and calls tools with these schemas and measures how long the event loop is blocked. */
export const toolSchemas: Attack = {
  name: "tool schemas",
  claim: "no schema of a custom tool blocks the service or runs endlessly",
  tries: { full: CASES.length * 3, sample: 2 },
  run: async (tries) => {
    await using world = await ToolWorld.open();
    const successes: string[] = [];
    let longest = 0;
    for (let number = 0; number < tries; number++) {
      const { parameters, args } = CASES[number % CASES.length] ?? of({}, 1);
      const name = `tool${number}`;
      await world.write(
        `${name}.js`,
        `export default { description: "x", run: () => "ran", parameters: ${
          JSON.stringify(parameters)
        } };`,
      );
      let last = performance.now();
      let stall = 0;
      const timer = setInterval(() => {
        stall = Math.max(stall, performance.now() - last);
        last = performance.now();
      }, 20);
      try {
        await world.call(name, args, { clock: new QuickClock() })
          .catch(() => {/* A refusal ends the check, too. */});
      } finally {
        clearInterval(timer);
      }
      longest = Math.max(longest, stall, performance.now() - last);
      if (longest > STALL_MS) {
        successes.push(`${JSON.stringify(parameters).slice(0, 200)} froze it`);
      }
    }
    return { tried: tries, successes, note: `longest wait ${Math.round(longest)} ms` };
  },
};
