import assert from "node:assert/strict";
import { ExecutionFrame, ServiceEventData } from "../../../api/schemas/event_schemas.ts";
import { Lifecycle } from "../../../api/streams/lifecycle.ts";
import { toWireEvent } from "../../../api/streams/service_events.ts";
import { parseEventStream } from "../../../base/text/event_stream.ts";
import { createApp } from "../../../server/app.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

const call = (name: string, args: unknown) => ({ call: [{ name, arguments: args }] });

Deno.test("ExecutionFrame and ServiceEvent describe every field of the events of runs", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asker", [
    { say: "I ask.", ...call("ask_user", { question: "Which?", options: ["a", "b"] }) },
    call("file_write", { path: "a.md", content: "x" }),
    call("wait", { for: "1h", reason: "a pause" }),
    { say: "Done." },
  ], 'auto_approve: "*"');
  await using runtime = await place.open();
  const events: unknown[] = [];
  runtime.events.subscribe((event) => events.push(toWireEvent(event).payload));
  const lifecycle = new Lifecycle({ runtime, keepAlive: true });
  const services = { runtime, lifecycle, transports: () => [] };
  const app = createApp({ ...services, isLocal: true, caller: { via: "api" } });
  const payloads: Record<string, unknown>[] = [];
  const follow = async (id: number, after: number) => {
    const path = `/executions/${id}/stream?deltas=1&after=${after}`;
    const { body } = await app.request(path);
    assert.ok(body !== null);
    for await (const one of parseEventStream(body)) {
      payloads.push(JSON.parse(one.data));
      after = Number(one.id ?? after);
      if (payloads.at(-1)?.["pauses"] === true) await runtime.wake(id);
    }
    return after;
  };
  for (const dryRun of [false, true]) {
    const { id } = await runtime.run("asker", dryRun ? { dryRun } : {});
    const after = await follow(id, 0);
    const { requestId } = await runtime.pendingRequest(id);
    await runtime.respond(id, { requestId, answer: { selected: ["a"] } });
    await follow(id, after);
  }
  const kinds = new Set(payloads.map((one) => one["event_type"]));
  for (const kind of ["system", "human", "interrupt", "waiting", "delta", "complete"]) {
    assert.ok(kinds.has(kind), kind);
  }
  assert.ok(payloads.some((one) => "would_do" in one) && payloads.some((one) => "change" in one));
  for (const one of payloads) ExecutionFrame.strict().parse(one);
  assert.ok(events.some((one) => "rests_until" in (one as object)));
  for (const one of events) ServiceEventData.strict().parse(one);
});
