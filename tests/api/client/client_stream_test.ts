import assert from "node:assert/strict";
import {
  ApiError,
  Client,
  ServiceUnreachable,
  type StreamFrame,
} from "../../../api/client/client.ts";
import { toEvent } from "../../../api/streams/server_sent_events.ts";
import { inProcessTransport } from "../../../api/client/in_process_transport.ts";
import { scripted, streamOf } from "../../support/scripted_transport.ts";
import { createTestApp } from "../../support/test_app.ts";
import { until } from "../../support/until.ts";

function frame(id: number, event: string): string {
  return toEvent(event, JSON.stringify({ n: id }), id);
}

const ids = (frames: StreamFrame[]) => frames.map(({ id }) => id);

Deno.test("Client.follow() yields frames up to and including the final one", async () => {
  for (const last of ["complete", "waiting", "shutdown"]) {
    const text = frame(1, "ai") + toEvent(last, '{"a":"b"}') + frame(9, "ai");
    const { fetch, calls } = scripted([streamOf(text)]);
    const frames = await Array.fromAsync(new Client({ fetch }).follow(3, { deltas: true }));
    assert.deepEqual(frames, [
      { event: "ai", id: 1, data: '{"n":1}', payload: { n: 1 } },
      { event: last, id: null, data: '{"a":"b"}', payload: { a: "b" } },
    ]);
    assert.equal(calls[0]?.path, "/executions/3/stream?deltas=1");
    assert.equal(calls[0]?.headers.get("last-event-id"), "0");
  }
});

Deno.test("Client.follow() resumes a broken or ended stream after its last frame", async () => {
  const waits: number[] = [];
  const { fetch, calls } = scripted([
    streamOf(frame(5, "ai") + frame(6, "ai"), true),
    new TypeError("refused"),
    streamOf(""),
    streamOf(frame(7, "ai")),
    streamOf(frame(8, "complete")),
  ]);
  const client = new Client({
    fetch,
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  });
  assert.deepEqual(ids(await Array.fromAsync(client.follow(3, { after: 4 }))), [5, 6, 7, 8]);
  assert.deepEqual(calls.map(({ headers }) => headers.get("last-event-id")), [
    "4",
    "6",
    "6",
    "6",
    "7",
  ]);
  assert.deepEqual(waits, [50, 100, 250, 50]);
});

Deno.test("Client.follow() resumes after the last frame with an id", async () => {
  const { fetch, calls } = scripted([
    streamOf(frame(5, "ai") + toEvent("delta", '{"content":"H"}'), true),
    streamOf(frame(6, "complete")),
  ]);
  const client = new Client({ fetch, sleep: () => Promise.resolve() });
  const frames = await Array.fromAsync(client.follow(3, { after: 4, deltas: true }));
  assert.deepEqual(ids(frames), [5, null, 6]);
  assert.deepEqual(calls.map(({ headers }) => headers.get("last-event-id")), ["4", "5"]);
});

Deno.test("Client.follow() gives up if the service does not return", async () => {
  for (const answer of [() => new TypeError("refused"), () => streamOf("")]) {
    const answers = Array.from({ length: 20 }, (): Response | Error => answer());
    const { fetch, calls } = scripted([streamOf(frame(1, "ai"), true), ...answers]);
    const client = new Client({ fetch, sleep: () => Promise.resolve() });
    await assert.rejects(Array.fromAsync(client.follow(3)), ServiceUnreachable);
    assert.equal(calls.length, 7);
  }
});

Deno.test("Client.follow() does not retry a first call that fails or is refused", async () => {
  const refused = scripted([new TypeError("refused")]);
  await assert.rejects(Array.fromAsync(new Client(refused).follow(3)), ServiceUnreachable);
  assert.equal(refused.calls.length, 1);
  const missing = scripted([Response.json({ detail: "Execution not found" }, { status: 404 })]);
  await assert.rejects(Array.fromAsync(new Client(missing).follow(3)), ApiError);
  assert.equal(missing.calls.length, 1);
});

Deno.test("Client.follow() rejects with the reason of its signal, also between two attempts", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const { fetch } = scripted([streamOf(frame(1, "ai"), true)]);
  const following = Array.fromAsync(
    new Client({
      fetch,
      sleep: (_ms, signal) => {
        controller.abort(reason);
        return Promise.reject(signal?.reason);
      },
    }).follow(3, { signal: controller.signal }),
  );
  await assert.rejects(following, reason);
});

Deno.test("Client.follow() closes the stream when its reader stops", async () => {
  const { app, runtime, lifecycle } = createTestApp();
  runtime.addExecution();
  runtime.append(1, "ai");
  const client = new Client({ fetch: async (path, init) => await app.request(path, init) });
  for await (const { event } of client.follow(1)) {
    assert.equal(event, "ai");
    assert.equal(lifecycle.activeStreams, 1);
    break;
  }
  assert.deepEqual([lifecycle.activeStreams, runtime.followers], [0, 0]);
});

Deno.test("Client.events() ends after shutdown, and throws if the stream ends earlier", async () => {
  const started = 'event: execution_started\ndata: {"execution_id":1}\n\n';
  const whole = scripted([
    streamOf(`: connected\n\n${started}event: shutdown\ndata: {"reason":"idle"}\n\n${started}`),
  ]);
  assert.deepEqual(await Array.fromAsync(new Client(whole).events()), [
    { event: "execution_started", payload: { execution_id: 1 } },
    { event: "shutdown", payload: { reason: "idle" } },
  ]);
  for (const answer of [streamOf(started), streamOf(started, true)]) {
    await assert.rejects(
      Array.fromAsync(new Client(scripted([answer])).events()),
      ServiceUnreachable,
    );
  }
});

Deno.test("Client.follow() in the service's own process ends at once when its signal aborts", async () => {
  const { app, runtime, lifecycle } = createTestApp();
  const { id } = runtime.addExecution();
  runtime.append(id, "ai", { content: "Begin" });
  const client = new Client(inProcessTransport((address, init) => app.request(address, init)));
  const stop = new AbortController();
  const frames = client.follow(id, { signal: stop.signal });
  assert.equal((await frames.next()).value?.event, "ai");
  const next = frames.next();
  stop.abort(new Error("enough"));
  await assert.rejects(next, /enough/);
  await until(() => lifecycle.activeStreams === 0, "the end of the stream");
});
