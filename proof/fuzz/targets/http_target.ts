// Fuzzes the application in this process with random requests to every operation of the API and to other paths.
import assert from "node:assert/strict";
import { type Schema, Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { EXECUTION_STATUSES } from "../../../runtime/executions/states.ts";
import type { JsonObject } from "../../../base/json.ts";
import { describeApi } from "../../../api/operations/openapi.ts";
import { EVENT_STREAM } from "../../../base/text/event_stream.ts";
import type { Operation } from "../../../api/operations/operation.ts";
import { loadOperations } from "../../../api/routes/operations.ts";
import { fakePlan } from "../../../tests/support/fake_plan.ts";
import { fakeAgent } from "../../../tests/support/fake_agent.ts";
import { createTestApp, type TestApp } from "../../../tests/support/test_app.ts";
import { anyRequest, type FuzzedRequest } from "../http_request.ts";
import { defineTarget } from "../target.ts";

const OPERATIONS = await loadOperations();

const document = describeApi(OPERATIONS, { version: "0" });

/** An operation with its documented statuses and the validator of its response. */
interface Documented {
  operation: Operation;
  statuses: readonly string[];
  /** The validator of the response body; undefined for a stream. */
  validator: Validator | undefined;
}
const documented = OPERATIONS.map((operation): Documented => {
  const { responses } = at("paths", operation.path, operation.method.toLowerCase());
  const [type, media] = Object.entries(at200(responses as JsonObject))[0] ?? [];
  return {
    operation,
    statuses: Object.keys(responses as JsonObject),
    validator: type === EVENT_STREAM
      ? undefined
      : validatorOf((media as JsonObject)["schema"] as JsonObject),
  };
});
const errorValidator = validatorOf(
  Object.values(at("paths", "/info", "get", "responses", "401", "content"))
    .map((media) => (media as JsonObject)["schema"] as JsonObject)[0] ?? {},
);

function at(...keys: string[]): JsonObject {
  return keys.reduce((value, key) => value[key] as JsonObject, document);
}

function at200(responses: JsonObject): JsonObject {
  return (responses["200"] as JsonObject)["content"] as JsonObject;
}

function validatorOf(schema: JsonObject): Validator {
  return new Validator({ ...schema, components: document["components"] } as Schema, "2020-12");
}

/** Returns an app with agents that have odd names, executions in every state, and a question of each kind. */
function createBusyApp(): TestApp {
  const test = createTestApp();
  const { runtime } = test;
  for (const id of ["writer", "Zoë's agent", "a b"]) {
    runtime.addAgent(fakeAgent(id));
    runtime.plans.set(id, fakePlan());
  }
  for (const status of EXECUTION_STATUSES) {
    const { id } = runtime.addExecution({ sessionId: "s", args: ["a", "\u2028"] });
    runtime.append(id, "ai", { content: "x\ny" });
    if (status !== "running") runtime.setStatus(id, status);
    if (status !== "waiting") continue;
    runtime.requests.set(id, {
      requestId: "r1",
      executionId: id,
      position: 0,
      toolName: "ask_user",
      toolArgs: { question: "Which?" },
      kind: "choice",
      message: "Which?",
      options: ["a", "b"],
      multi: false,
      createdAt: 0,
      expiresAt: null,
    });
  }
  return test;
}

export const httpRequests = defineTarget<FuzzedRequest[]>({
  name: "http-requests",
  claim:
    "no request gets a 5xx except 503 at the end; every answer fits its documented schema, every refusal is JSON with its reason",
  cases: () => fc.array(anyRequest, { minLength: 1, maxLength: 3 }),
  async check(requests) {
    const { app, runtime, lifecycle } = createBusyApp();
    for (const { method, path, headers, body, target } of requests) {
      const hasBody = body !== undefined && method !== "GET" && method !== "HEAD";
      const sent = hasBody
        ? typeof body === "string" ? body.toWellFormed() : Uint8Array.from(body)
        : null;
      const response = await app.request(path, { method, headers, body: sent });
      const what = `${method} ${path} gave ${response.status}`;
      const isRefusedAtEnd = response.status === 503 && lifecycle.stopping !== null;
      if (response.status >= 500 && !isRefusedAtEnd) {
        assert.fail(`${what}: ${await response.text()}`);
      }
      const expected = target === undefined ? undefined : documented[target];
      await assertDocumented(response, expected, what);
      assert.deepEqual(
        runtime.log.lines.filter(({ level }) => level === "error").map((
          { message, fields },
        ) => [message, String(fields["error"])]),
        [],
        what,
      );
    }
    assert.equal(lifecycle.activeStreams, 0, "a stream is left open");
  },
});

async function assertDocumented(
  response: Response,
  expected: Documented | undefined,
  what: string,
): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (response.status !== 200) {
    const text = await response.text();
    // A response to HEAD has no body, and neither has a response to a client that already has the content.
    if (text === "" && (what.startsWith("HEAD ") || response.status < 400)) return;
    assert.match(type, /^application\/json/, what);
    const problem = JSON.parse(text);
    assert.ok(errorValidator.validate(problem).valid, `${what}: ${text}`);
    assert.doesNotMatch(text, /\bat .+\.ts:\d+/, `${what} shows a stack`);
    if (expected === undefined) return;
    const isOwn = expected.statuses.includes(String(response.status));
    assert.ok(isOwn, `${what}, which is not documented: ${text.slice(0, 300)}`);
  } else if (expected?.validator !== undefined) {
    assert.match(type, /^application\/json/, what);
    const answer = await response.json();
    const { valid, errors } = expected.validator.validate(answer);
    assert.ok(
      valid,
      `${what}: ${JSON.stringify(errors.slice(0, 3))} in ${JSON.stringify(answer).slice(0, 500)}`,
    );
  } else {
    if (expected !== undefined) assert.match(type, /^text\/event-stream/, what);
    await response.body?.cancel();
  }
}
