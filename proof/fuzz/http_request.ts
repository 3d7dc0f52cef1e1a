// Generates random HTTP requests: to each operation of the API with random ids, queries, headers and bodies, and to paths
// outside the API.
import assert from "node:assert/strict";
import fc from "fast-check";
import { loadOperations } from "../../api/routes/operations.ts";
import { anyText } from "./odd_text.ts";

const OPERATIONS = await loadOperations();

const NAMES = [
  ...new Set(OPERATIONS.flatMap(({ query, headers, body }) => [
    ...Object.keys(query?.shape ?? {}),
    ...Object.keys(headers?.shape ?? {}),
    ...Object.keys((body as { shape?: object } | undefined)?.shape ?? {}),
  ])),
  ...["approved", "text", "selected", "reason", "__proto__", "constructor", "unknown"],
];
const anyName = fc.constantFrom(...NAMES);
const valueText = fc.oneof(
  fc.integer({ min: -2, max: 600 }).map(String),
  fc.constantFrom(
    ...[
      "1",
      "0",
      "true",
      "1e3",
      "0x10",
      "9007199254740993",
      "9".repeat(400),
      "",
      " ",
      "NaN",
      "running,error",
      "failed",
    ],
    ...["writer", "a b", "UTC", "Europe/Nowhere", "null", "[]", "+1", "-0", "1,2", "%00", "\u202e"],
  ),
  anyText,
);
const segment = fc.oneof(
  fc.constantFrom(
    "writer",
    "a b",
    "Zoë's agent",
    "nobody",
    "1",
    "2",
    "3",
    "7",
    "99",
    "-1",
    "..",
    ".",
    "reload",
    "\0",
  ),
  valueText,
).map((text) => encodeURIComponent(text.toWellFormed())).filter((text) =>
  text !== "" && text !== "." && text !== ".."
);
const query = fc.array(fc.tuple(anyName, valueText), { maxLength: 3 }).map((pairs) =>
  pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join("&")
);
const headerText = fc.oneof(
  valueText.map((text) => text.replaceAll(/[^\x20-\x7e]/g, "")),
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f).map((code) =>
      String.fromCharCode(code)
    ),
  }),
);
const headers = fc.dictionary(
  fc.constantFrom(
    ...[
      "last-event-id",
      "idempotency-key",
      "content-type",
      "origin",
      "sec-fetch-site",
      "x-api-key",
      "accept",
      "range",
    ],
    ...["if-none-match", "accept-encoding", "content-length", "transfer-encoding", "host", "x-odd"],
  ),
  headerText,
  { maxKeys: 3, noNullPrototype: true },
);
const bodyValue = fc.oneof(
  fc.dictionary(anyName, fc.oneof(fc.jsonValue({ maxDepth: 2 }), valueText), { maxKeys: 4 }),
  fc.record({
    request_id: fc.constantFrom("r1", "r2"),
    response: fc.oneof(
      fc.record({ approved: fc.boolean(), reason: fc.option(valueText) }),
      fc.record({ text: valueText }),
      fc.record({ selected: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }) }),
      fc.jsonValue(),
    ),
  }),
  fc.record({
    message: valueText,
    args: fc.array(valueText),
    session_id: valueText,
    context: valueText,
  }, {
    requiredKeys: [],
  }),
  fc.jsonValue(),
);
const body = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 6, arbitrary: bodyValue.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.oneof(anyText, fc.uint8Array({ maxLength: 30 })) },
  { weight: 1, arbitrary: fc.constantFrom("[", '{"a":').map((text) => text.repeat(3_000)) },
);

/** A random request. */
export interface FuzzedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  /** The index of the request's operation in OPERATIONS; undefined for a path or a method outside the API. */
  target: number | undefined;
}

const ofOperation = fc.nat(OPERATIONS.length - 1).chain((target): fc.Arbitrary<FuzzedRequest> => {
  const { method, path } = OPERATIONS[target] ?? assert.fail();
  return fc.record({
    method: fc.constant(method),
    path: fc.tuple(segment, query).map(([id, query]) =>
      `${path.replace("{id}", () => id)}${query && `?${query}`}`
    ),
    headers: fc.tuple(headers, fc.boolean()).map(([all, isJson]) =>
      isJson ? { ...all, "content-type": "application/json" } : all
    ),
    body,
    target: fc.constant(target),
  });
});
const besides: fc.Arbitrary<FuzzedRequest> = fc.record({
  method: fc.constantFrom("GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD", "BREW"),
  path: fc.oneof(
    fc.tuple(fc.constantFrom(...OPERATIONS.map(({ path }) => path)), segment).map(([path, id]) =>
      path.replace("{id}", () => id)
    ),
    fc.array(
      fc.oneof(
        segment,
        fc.constantFrom("agents", "executions", "%zz", "%ff%fe", "%", "", "..", "%2F"),
      ),
      { maxLength: 5 },
    )
      .map((all) => `/${all.join("/")}`),
    fc.constantFrom(
      "/docs",
      "/redoc",
      "/ui",
      "/ui/app.js",
      "/openapi.json",
      "/",
      "//",
      "/ui/../health",
      "/*",
    ),
  ),
  headers,
  body,
  target: fc.constant(undefined),
});

/** Generates requests: four of five to operations, the others to paths outside the API. */
export const anyRequest: fc.Arbitrary<FuzzedRequest> = fc.oneof(
  { weight: 4, arbitrary: ofOperation },
  { weight: 1, arbitrary: besides },
);
