// Sends five hundred malformed requests, generated from the API description. Each is refused with the right status.
// Afterwards no stream or execution is open, and the service still runs an agent.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../base/json.ts";
import { describeApi } from "../../api/operations/openapi.ts";
import { loadOperations } from "../../api/routes/operations.ts";
import {
  API_KEY,
  type Reached,
  type Transport,
  withService,
} from "./conformance/both_transports.ts";
import { type Connect, sendRaw } from "./raw_http.ts";

const OPERATIONS = await loadOperations();

interface BadRequest {
  why: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  expected: readonly number[];
}

interface Described {
  method: string;
  path: string;
  parameters: { name: string; in: string; schema: JsonObject }[];
  body: JsonObject | undefined;
  bodyRequired: boolean;
}

const METHODS = ["GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "BREW"];
const document = describeApi(OPERATIONS, { version: "0" });
const schemas = (document["components"] as JsonObject)["schemas"] as JsonObject;

const described: Described[] = Object.entries(document["paths"] as JsonObject)
  .flatMap(([path, methods]) =>
    Object.entries(methods as JsonObject).map(([method, value]) => {
      const operation = value as JsonObject;
      const body = operation["requestBody"] as JsonObject | undefined;
      const reference = JSON.stringify(body ?? {}).match(/#\/components\/schemas\/(\w+)/)?.[1];
      return {
        method: method.toUpperCase(),
        path,
        parameters: operation["parameters"] as unknown as Described["parameters"],
        body: reference === undefined ? undefined : schemas[reference] as JsonObject,
        bodyRequired: body?.["required"] === true,
      };
    })
  );

/** Returns an operation's path with an existing id. */
const filled = (path: string) => {
  const id = path.startsWith("/agents")
    ? "writer"
    : path.startsWith("/files")
    ? "config.yaml"
    : "1";
  return path.replace("{id}", id);
};

/** The integer parameters for which a blank value counts as absent. */
const BLANK_IS_ABSENT = ["after", "last-event-id"];

/** Returns parameter texts that the schema does not accept. */
function misfits(schema: JsonObject): string[] {
  switch (schema["type"]) {
    case "integer": {
      const texts = ["x", "1.5", "1e3", "0x10", "NaN", "", " ", "--1", "9".repeat(500)];
      if (schema["minimum"] !== undefined) texts.push(String(Number(schema["minimum"]) - 1));
      if (schema["maximum"] !== undefined) texts.push(String(Number(schema["maximum"]) + 1));
      return texts;
    }
    case "boolean":
      return ["2", "maybe", "null"];
    case "array":
      // A list without an enum is a list of ids, which accepts any text.
      return JSON.stringify(schema).includes('"enum"') ? ["nope", "running,nope", "RUNNING"] : [];
    default:
      return [];
  }
}

const badParameters: BadRequest[] = described.flatMap((
  { method, path, parameters, bodyRequired },
) =>
  parameters.flatMap(({ name, in: place, schema }) =>
    misfits(schema).flatMap((text): BadRequest[] => {
      if (BLANK_IS_ABSENT.includes(name) && text.trim() === "") return [];
      const request = { why: `${name}=${text.slice(0, 20)}`, method, expected: [422] };
      switch (place) {
        case "query":
          return [{ ...request, path: `${filled(path)}?${name}=${encodeURIComponent(text)}` }];
        case "header":
          return [{ ...request, path: filled(path), headers: { [name]: text } }];
        default:
          // A path with an empty segment belongs to another route.
          return text === "" ? [] : [{
            ...request,
            path: path.replace("{id}", encodeURIComponent(text)),
            // A number that is too large is an unknown id, which is 404.
            expected: /^\d+$/.test(text) && !bodyRequired ? [404] : [422],
          }];
      }
    })
  )
);

/** Every third method that a path does not have; the first one differs from path to path. */
const wrongMethods: BadRequest[] = described.flatMap(({ path }, first) => {
  const taken = OPERATIONS.filter((one) =>
    one.path === path || (one.path === "/agents/{id}" && path === "/agents/reload")
  ).map(({ method }) => method as string);
  return METHODS.filter((method, at) => (at + first) % 3 === 0 && !taken.includes(method))
    .map((method) => ({ why: "method", method, path: filled(path), expected: [405] }));
});

/** Returns values whose types the property does not accept. */
function misfitsOf(schema: JsonObject): fc.Arbitrary<unknown>[] {
  const text = JSON.stringify(schema);
  const kinds: [string, fc.Arbitrary<unknown>][] = [
    ["integer", fc.integer()],
    ["boolean", fc.boolean()],
    ["array", fc.array(fc.integer(), { minLength: 1 })],
    ["object", fc.dictionary(fc.string(), fc.string())],
  ];
  // A schema without a type, or with a reference, may accept anything.
  if (!text.includes('"type"') || text.includes('"$ref"')) return [];
  return kinds.flatMap(([type, values]) => {
    // A list is invalid if its elements are, even if the property accepts lists.
    if (type === "array") return [values];
    return text.includes(`"${type}"`) ? [] : [values];
  });
}

/** The bodies that are generated from the schema, each with one invalid part. */
const badBodies: BadRequest[] = described.filter(({ body }) => body !== undefined)
  .flatMap(({ method, path, body = {} }, at) => {
    const fields = Object.entries(body["properties"] as JsonObject)
      .map(([name, schema]) => ({ name, misfits: misfitsOf(schema as JsonObject) }))
      .filter(({ misfits }) => misfits.length > 0);
    const wrongField = fc.oneof(
      ...fields.map(({ name, misfits }) => fc.record({ [name]: fc.oneof(...misfits) })),
    );
    const notAnObject = fc.oneof(
      fc.integer(),
      fc.string(),
      fc.array(fc.anything()),
      fc.boolean(),
      fc.constant(null),
    );
    const requests = (bodies: string[], why: string, expected: number[], type: string) =>
      bodies.map((text) => ({
        why,
        method,
        path: filled(path),
        headers: { "content-type": type },
        body: text,
        expected,
      }));
    const json = (values: unknown[]) => values.map((one) => JSON.stringify(one) ?? "1");
    const seeded = { numRuns: 6, seed: 7 };
    return [
      ...requests(json(fc.sample(wrongField, seeded)), "field", [422], "application/json"),
      ...requests(json(fc.sample(notAnObject, seeded)), "no object", [422], "application/json"),
      ...requests(
        fc.sample(fc.record({ message: fc.string() }), { numRuns: 3, seed: 7 })
          .map((one) => JSON.stringify(one).slice(0, -1)),
        "broken JSON",
        [422],
        "application/json",
      ),
      ...requests(["{}", "x", "a=b"], "media type", [415], "text/plain"),
      // All operations share the reader of bodies, so two of them get large ones.
      ...(at >= 2 ? [] : [
        ...requests(["x".repeat(1_048_577)], "size", [413], "application/json"),
        ...requests(
          [`{${JSON.stringify(fields[0]?.name)}:${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
          "depth",
          [422],
          "application/json",
        ),
      ]),
    ];
  });

const SEGMENTS = [
  "a%2Fb",
  "%2F",
  "..%2F..%2Fetc",
  "%00",
  "%zz",
  "%",
  "%ff%fe",
  "a%0d%0ab",
  "x".repeat(8_000),
];
const oddPaths: BadRequest[] = SEGMENTS.flatMap((segment) => [
  { why: segment.slice(0, 20), method: "GET", path: `/agents/${segment}`, expected: [404] },
  { why: segment.slice(0, 20), method: "GET", path: `/agents/${segment}/runs`, expected: [404] },
  { why: segment.slice(0, 20), method: "POST", path: `/agents/${segment}/run`, expected: [404] },
  { why: segment.slice(0, 20), method: "GET", path: `/executions/${segment}`, expected: [422] },
  {
    why: segment.slice(0, 20),
    method: "GET",
    path: `/executions/${segment}/stream`,
    expected: [422],
  },
  { why: segment.slice(0, 20), method: "GET", path: `/${segment}`, expected: [404] },
  {
    why: segment.slice(0, 20),
    method: "GET",
    path: `/executions?agent=${segment}`,
    expected: [200],
  },
]);

const BAD_REQUESTS = [...badParameters, ...wrongMethods, ...badBodies, ...oddPaths];

function toText(request: BadRequest, transport: Transport): string {
  const { method, path, headers = {}, body } = request;
  const all: Record<string, string> = {
    host: "localhost",
    connection: "close",
    ...(transport === "tcp" && { "x-api-key": API_KEY }),
    ...headers,
    ...(body !== undefined && { "content-length": String(new TextEncoder().encode(body).length) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${method} ${path} HTTP/1.1\r\n${lines}\r\n${body ?? ""}`;
}

function connectTo({ transport, service, runtime }: Reached): Connect {
  return () =>
    transport === "tcp"
      ? Deno.connect({ port: service.ports[0] ?? 0 })
      : Deno.connect({ transport: "unix", path: runtime.directories.socketFile });
}

/** Checks that no request caused an internal error, that nothing is open, and that the service works. */
async function assertUnharmed({ workspace, client, runToEnd }: Reached): Promise<void> {
  const errors = workspace.logged.filter(({ level }) => level === "error");
  assert.deepEqual(errors.map(({ message, fields }) => [message, fields["error"]]), []);
  const info = await client.info();
  assert.deepEqual([info.active_streams, info.active_executions], [0, 0]);
  assert.equal((await runToEnd("writer")).status, "success");
}

Deno.test("five hundred malformed requests each get the right 4xx status", async () => {
  assert.ok(BAD_REQUESTS.length >= 500, `only ${BAD_REQUESTS.length}`);
  await withService("tcp", async (on) => {
    await on.runToEnd("writer");
    const connect = connectTo(on);
    const queue = [...BAD_REQUESTS];
    const worker = async () => {
      for (let request = queue.pop(); request !== undefined; request = queue.pop()) {
        const { status, text } = await sendRaw(connect, toText(request, "tcp"));
        // A random id is unknown, and the service reports an unknown id before other problems.
        const expected = request.expected.includes(422)
          ? [...request.expected, 404]
          : request.expected;
        const what = `${request.why}: ${request.method} ${request.path.slice(0, 80)}`;
        assert.ok(
          status !== null && expected.includes(status),
          `${what} gave ${status}, not ${expected}: ${text.slice(0, 300)}`,
        );
        if (status !== 200) assert.match(text, /\{"detail":/, what);
        assert.doesNotMatch(text, /\bat .+\.ts:\d+/, `${what} shows a stack`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    await assertUnharmed(on);
  });
});

for (const transport of ["unix", "tcp"] as const) {
  Deno.test(`over ${transport}: floods and truncated requests get a 4xx or are disconnected`, async () => {
    await withService(transport, async (on) => {
      const connect = connectTo(on);
      const key = transport === "tcp" ? `x-api-key: ${API_KEY}\r\n` : "";
      const head = (line: string) => `${line} HTTP/1.1\r\nhost: localhost\r\n${key}`;
      const post = head("POST /agents/writer/run");
      const table: [string, string, { half?: boolean }?][] = [
        ["a header of 5 MB", `${head("GET /info")}x: ${"a".repeat(5_000_000)}\r\n\r\n`],
        ["20,000 headers", `${head("GET /info")}${"x: y\r\n".repeat(20_000)}\r\n`],
        ["an address of 70 KB", `${head(`GET /${"a".repeat(70_000)}`)}\r\n`],
        ["garbage", "\x00\x01\x02\x03 hello\r\n\r\n"],
        ["two hosts", `${head("GET /info")}host: other\r\n\r\n`],
        ["a host that is none", `GET /info HTTP/1.1\r\nhost: a b/<>\r\n${key}\r\n`],
        ["a negative length", `${post}content-length: -3\r\n\r\n`],
        ["two lengths", `${post}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
        ["a chunk without a length", `${post}transfer-encoding: chunked\r\n\r\nzz\r\n`],
        ["half a head", `${head("GET /info")}x: a`, { half: true }],
        ["half a body", `${post}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"a`, {
          half: true,
        }],
        ["CONNECT", head("CONNECT localhost:80") + "\r\n"],
        ["OPTIONS *", head("OPTIONS *") + "\r\n"],
      ];
      for (const [what, request, options] of table) {
        const { status } = await sendRaw(connect, request, options);
        assert.ok(status === null || (status >= 400 && status < 500), `${what} gave ${status}`);
      }
      await assertUnharmed(on);
      assert.equal((await on.client.runs("writer")).length, 1);
    });
  });
}
