import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { describeApi } from "../../../api/operations/openapi.ts";
import { loadOperations } from "../../../api/routes/operations.ts";
import { createTestApp } from "../../support/test_app.ts";

const OPERATIONS = await loadOperations();

const document = describeApi(OPERATIONS, { version: "1.2.3" });

/** Returns the value at a path of keys in the API description. */
function at(...keys: string[]): JsonObject {
  let value: JsonValue | undefined = document;
  for (const key of keys) value = (value as JsonObject)[key];
  assert.ok(value !== undefined, `nothing at ${keys.join(" > ")}`);
  return value as JsonObject;
}

Deno.test("describeApi() describes every operation, each under its own name", () => {
  assert.equal(document["openapi"], "3.1.0");
  const ids = OPERATIONS.map(({ method, path }) =>
    at("paths", path, method.toLowerCase())["operationId"]
  );
  assert.equal(new Set(ids).size, OPERATIONS.length);
});

Deno.test("describeApi() describes the values of query parameters, not their form as text", () => {
  const query = (name: string, schema: JsonObject) => ({
    name,
    in: "query",
    required: false,
    schema,
    ...(schema["type"] === "array" && { style: "form", explode: false }),
  });
  const id = { type: "integer", minimum: 1 };
  const moment = { type: "string", format: "date-time" };
  const statuses = [
    ...["running", "waiting", "success", "error", "aborted", "timeout", "orphaned"],
    ...["failed", "cancelled"],
  ];
  const triggers = [
    "manual",
    "chat",
    "schedule",
    "watch",
    "webhook",
    "change",
    "mail",
    "after",
    "agent",
  ];
  assert.deepEqual(at("paths", "/executions", "get")["parameters"], [
    query("status", { type: "array", items: { type: "string", enum: statuses } }),
    query("agent", { type: "array", items: { type: "string" }, maxItems: 1_000 }),
    query("parent", id),
    query("follows", id),
    query("trigger", { type: "string", enum: triggers }),
    query("session", { type: "string" }),
    query("since", moment),
    query("until", moment),
    query("q", { type: "string", minLength: 3, maxLength: 200 }),
    query("results", { type: "string", enum: ["true", "false"], default: "false" }),
    query("preview", { type: "string", enum: ["true", "false"], default: "false" }),
    query("limit", { ...id, maximum: 500, default: 50 }),
    query("offset", { type: "integer", minimum: 0, default: 0 }),
    {
      description: "Tags of the responses that the client has; 304 if this response is among them",
      in: "header",
      name: "If-None-Match",
      required: false,
      schema: { type: "string" },
    },
  ]);
  const [inPath] = at("paths", "/agents/{id}", "get")["parameters"] as JsonObject[];
  assert.deepEqual(inPath, { name: "id", in: "path", required: true, schema: { type: "string" } });
});

Deno.test("describeApi() puts named schemas among the components and refers to them", () => {
  const schemas = at("components", "schemas");
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
    .map(([, reference]) => reference ?? "");
  assert.ok(references.length > OPERATIONS.length);
  for (const reference of references) {
    assert.match(reference, /^#\/components\/schemas\/\w+$/);
    assert.ok(schemas[reference.split("/").at(-1) ?? ""], `${reference} leads nowhere`);
  }
  assert.doesNotMatch(JSON.stringify(document), /\$defs|\$schema|9007199254740991/);
  const request = at("components", "schemas", "RunRequest", "properties", "session_id");
  assert.equal(request["maxLength"], 200);
});

Deno.test("describeApi() leaves response schemas open for more fields, and keeps the values of maps", () => {
  assert.equal(at("components", "schemas", "Agent")["additionalProperties"], undefined);
  const paths = at("components", "schemas", "AgentDetail", "properties", "paths");
  assert.deepEqual(paths["additionalProperties"], { type: "string" });
});

Deno.test("describeApi() marks each body as required or optional", () => {
  const body = (path: string) => at("paths", path, "post", "requestBody")["required"];
  assert.equal(body("/agents/{id}/run"), false);
  assert.equal(body("/executions/{id}/respond"), true);
});

Deno.test("describeApi() lists the security and the refusals of every operation", () => {
  assert.deepEqual(at("paths", "/health", "get")["security"], []);
  assert.deepEqual(at("paths", "/info", "get")["security"], [{ ApiKey: [] }, {}]);
  const statuses = (path: string, method: string) =>
    Object.keys(at("paths", path, method, "responses"));
  assert.deepEqual(statuses("/health", "get"), ["200", "403", "421"]);
  const answering = [
    ...["200", "401", "403", "404", "408", "409", "413", "415", "421", "422", "503"],
  ];
  assert.deepEqual(statuses("/agents/{id}/run", "post"), answering);
  assert.deepEqual(statuses("/executions/{id}/respond", "post"), answering);
  assert.deepEqual(
    statuses("/checkpoints/purge", "post"),
    answering.filter((status) => status !== "409"),
  );
  // Every operation can refuse a body, because the service reads unused bodies, too.
  assert.deepEqual(statuses("/scheduler/pause", "post"), [
    ...["200", "401", "403", "408", "413", "415", "421", "422", "503"],
  ]);
  const stream = at("paths", "/events/stream", "get", "responses", "200", "content");
  assert.deepEqual(Object.keys(stream), ["text/event-stream"]);
});

Deno.test("describeApi() gives each operation one known tag, and no schema refers to itself", () => {
  assert.deepEqual(document["servers"], [{ url: "/" }]);
  const tags = (document["tags"] as JsonObject[]).map(({ name }) => name);
  for (const { path, method } of OPERATIONS) {
    const [tag, ...more] = at("paths", path, method.toLowerCase())["tags"] as string[];
    assert.ok(tags.includes(tag) && more.length === 0, path);
  }
  const schemas = Object.entries(at("components", "schemas"));
  for (const name of ["JsonValue", "TriggerFilters", "ExecutionFrame", "ServiceEvent"]) {
    assert.ok(schemas.some(([one]) => one === name), name);
  }
  for (const [name, schema] of schemas) {
    assert.match(name, /^[A-Z]\w+$/);
    // No schema refers to itself, because some code generators do not accept that.
    assert.ok(!JSON.stringify(schema).includes(`"#/components/schemas/${name}"`), name);
  }
});

Deno.test("describeApi() gives alternatives and shared values names, which code generators need", () => {
  const schemas = at("components", "schemas");
  const enumerations: string[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    JSON.stringify(schema, (key, value) => {
      if (["anyOf", "oneOf"].includes(key)) {
        const objects = (value as JsonObject[]).filter(({ type }) => type === "object");
        assert.deepEqual(objects, [], `${name}: a part of a choice has no name`);
        // A constant must be the last alternative: a generated Python client rejects a wrong constant, even if a later
        // alternative accepts the value.
        const constant = (value as JsonObject[]).findIndex((one) => one["const"] !== undefined);
        assert.ok(constant === -1 || constant === value.length - 1, `${name}: a constant is first`);
      }
      if (key === "enum") enumerations.push(JSON.stringify(value));
      return value;
    });
  }
  assert.deepEqual(enumerations, [...new Set(enumerations)]);
});

Deno.test("describeApi() describes the data and the end of streams", () => {
  const follow = at("paths", "/executions/{id}/stream", "get", "responses");
  assert.ok(follow["204"]);
  const stream = at(
    ...["paths", "/executions/{id}/stream", "get", "responses", "200", "content"],
    "text/event-stream",
  );
  assert.deepEqual((stream["schema"] as JsonObject)["contentSchema"], {
    $ref: "#/components/schemas/ExecutionFrame",
  });
});

Deno.test("GET /openapi.json serves the API description", async () => {
  const { call } = createTestApp();
  const { status, body, headers } = await call("/openapi.json");
  assert.deepEqual([status, headers.get("content-type")], [200, "application/json"]);
  assert.deepEqual(body, document);
  const refused = await call("/openapi.json", { method: "POST" });
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"]);
});
