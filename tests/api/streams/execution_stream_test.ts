import assert from "node:assert/strict";
import { parseEventStream, type ServerSentEvent } from "../../../base/text/event_stream.ts";
import { settle } from "../../support/test_clock.ts";
import { createTestApp, type TestApp } from "../../support/test_app.ts";

async function open({ app }: TestApp, path: string, headers: HeadersInit = {}) {
  const response = await app.request(path, { headers });
  assert.equal(response.status, 200);
  assert.ok(response.body !== null);
  return response.body;
}

async function readAll(body: ReadableStream<Uint8Array>): Promise<ServerSentEvent[]> {
  return await Array.fromAsync(parseEventStream(body));
}

function finished(): TestApp {
  const test = createTestApp();
  test.runtime.addExecution();
  test.runtime.append(1, "meta", { event_type: "execution_info" });
  test.runtime.append(1, "ai", { content: "Zeile\n“zwei” 😀" });
  test.runtime.append(1, "final_answer", { content: "x".repeat(900_000) });
  test.runtime.setStatus(1, "success");
  return test;
}

Deno.test("the stream of a finished execution equals its log", async () => {
  const test = finished();
  const response = await test.app.request("/executions/1/stream");
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.equal(response.headers.get("cache-control"), "no-store");
  const expected = test.runtime.frames.map(({ id, event, payload }) =>
    `event: ${event}\ndata: ${payload}\nid: ${id}\n\n`
  );
  assert.equal(await response.text(), expected.join(""));
  assert.deepEqual([test.lifecycle.activeStreams, test.runtime.followers], [0, 0]);
});

Deno.test("the stream resumes after Last-Event-ID rather than ?after=", async () => {
  const test = finished();
  const ids = async (path: string, headers?: HeadersInit) =>
    (await readAll(await open(test, path, headers))).map(({ id }) => Number(id));
  assert.deepEqual(await ids("/executions/1/stream"), [1, 2, 3, 4]);
  assert.deepEqual(await ids("/executions/1/stream?after=2"), [3, 4]);
  assert.deepEqual(await ids("/executions/1/stream", { "last-event-id": "3" }), [4]);
  assert.deepEqual(await ids("/executions/1/stream?after=1", { "last-event-id": "3" }), [4]);
  // Blank values are ignored.
  assert.deepEqual(await ids("/executions/1/stream?after=", { "last-event-id": " " }), [
    1,
    2,
    3,
    4,
  ]);
  assert.deepEqual(await ids("/executions/1/stream?after=3", { "last-event-id": "" }), [4]);
});

Deno.test("the stream returns 204 to a reader that already has `complete`", async () => {
  const { app } = finished();
  const ways = [
    (id: number) => app.request("/executions/1/stream", { headers: { "last-event-id": `${id}` } }),
    (id: number) => app.request(`/executions/1/stream?after=${id}`),
  ];
  for (const follow of ways) {
    const ended = await follow(4);
    assert.deepEqual([ended.status, await ended.text()], [204, ""]);
    assert.match(await (await follow(3)).text(), /^event: complete/);
  }
});

Deno.test("the stream refuses an invalid position before its first byte", async () => {
  const { call } = finished();
  const header = await call("/executions/1/stream", { headers: { "last-event-id": "x" } });
  assert.deepEqual([header.status, header.body.detail[0].loc], [422, ["header", "last-event-id"]]);
  const table = [["after=-1", "after"], ["after=x", "after"], ["deltas=maybe", "deltas"]] as const;
  for (const [query, name] of table) {
    const { status, body } = await call(`/executions/1/stream?${query}`);
    assert.deepEqual([status, body.detail[0].loc], [422, ["query", name]]);
  }
});

Deno.test("the stream sends deltas on request, without an id and with the identity fields", async () => {
  const test = createTestApp();
  test.runtime.addExecution();
  const asked = readAll(await open(test, "/executions/1/stream?deltas=1"));
  const plain = readAll(await open(test, "/executions/1/stream"));
  await settle();
  test.runtime.delta(1, "Hel");
  await settle();
  test.runtime.setStatus(1, "success");
  const [delta, ...rest] = await asked;
  assert.deepEqual([delta?.event, delta?.id], ["delta", undefined]);
  assert.deepEqual(JSON.parse(delta?.data ?? ""), {
    event_type: "delta",
    execution_id: 1,
    agent_id: "writer",
    display_name: "The Writer",
    agent_name: "writer",
    timestamp: "2026-01-01T00:00:00.000Z",
    message: "Hel",
    content: "Hel",
  });
  assert.deepEqual(rest.map(({ event }) => event), ["complete"]);
  assert.deepEqual((await plain).map(({ event }) => event), ["complete"]);
});

Deno.test("the stream sends a comment after every 15 s of silence", async () => {
  const test = createTestApp();
  test.runtime.addExecution();
  const reader = (await open(test, "/executions/1/stream")).pipeThrough(new TextDecoderStream())
    .getReader();
  const awaitComment = async () => {
    const chunk = reader.read();
    let arrived = false;
    chunk.then(() => arrived = true);
    await test.clock.advance(14_999);
    assert.equal(arrived, false);
    await test.clock.advance(1);
    assert.deepEqual(await chunk, { done: false, value: ": keep-alive\n\n" });
  };
  await awaitComment();
  await awaitComment();
  const chunk = reader.read();
  await test.clock.advance(10_000);
  test.runtime.append(1, "ai");
  assert.match((await chunk).value ?? "", /^event: ai\n/);
  // The silence begins again after a frame.
  await awaitComment();
  await reader.cancel();
  assert.equal(test.clock.sleeping, 0);
});

Deno.test("the stream fetches no frame that its reader has not requested", async () => {
  const test = createTestApp();
  test.runtime.addExecution();
  for (let n = 0; n < 1_000; n++) test.runtime.append(1, "ai");
  const body = await open(test, "/executions/1/stream");
  await settle();
  assert.equal(test.runtime.handedOut, 0);
  const reader = body.getReader();
  await reader.read();
  await reader.read();
  await settle();
  assert.equal(test.runtime.handedOut, 2);
  await reader.cancel();
});

Deno.test("a reader that leaves stops the follower", async () => {
  const test = createTestApp();
  test.runtime.addExecution();
  test.runtime.append(1, "ai");
  test.runtime.append(1, "ai");
  const middle = (await open(test, "/executions/1/stream")).getReader();
  const silent = (await open(test, "/executions/1/stream?after=2")).getReader();
  await middle.read();
  const pending = silent.read();
  await settle();
  assert.deepEqual([test.lifecycle.activeStreams, test.runtime.followers], [2, 2]);
  await middle.cancel();
  await silent.cancel();
  assert.equal((await pending).done, true);
  assert.deepEqual([test.lifecycle.activeStreams, test.clock.sleeping], [0, 0]);
  await settle();
  assert.equal(test.runtime.followers, 0);
});

Deno.test("the service ends a silent stream with the event shutdown, which has no id", async () => {
  const test = createTestApp();
  test.runtime.addExecution();
  test.runtime.append(1, "ai");
  const all = readAll(await open(test, "/executions/1/stream"));
  await settle();
  test.lifecycle.requestStop("signal");
  test.lifecycle.endStreams();
  await test.clock.advance(250);
  const events = await all;
  assert.deepEqual(events.map(({ event, id }) => [event, id]), [["ai", "1"], [
    "shutdown",
    undefined,
  ]]);
  const { reason, event_type, execution_id, agent_id, message } = JSON.parse(events[1]?.data ?? "");
  assert.deepEqual([reason, event_type, execution_id, agent_id, message], [
    "signal",
    "shutdown",
    1,
    "writer",
    "The service is shutting down",
  ]);
  assert.deepEqual([test.lifecycle.activeStreams, test.runtime.followers], [0, 0]);
});

Deno.test("a stream opened during a stop ends with the event shutdown after the log", async () => {
  const test = createTestApp();
  test.runtime.addExecution();
  test.runtime.append(1, "ai");
  test.lifecycle.requestStop("requested");
  test.lifecycle.endStreams();
  const all = readAll(await open(test, "/executions/1/stream"));
  await test.clock.advance(250);
  assert.deepEqual((await all).map(({ event }) => event), ["ai", "shutdown"]);
});

Deno.test("a stream whose execution ends during a stop ends with the event complete, not shutdown", async () => {
  const test = createTestApp();
  test.runtime.addExecution();
  const all = readAll(await open(test, "/executions/1/stream"));
  await settle();
  test.lifecycle.requestStop("requested");
  for (let n = 0; n < 50; n++) test.runtime.append(1, "ai");
  test.runtime.setStatus(1, "aborted");
  test.lifecycle.endStreams();
  const events = await all;
  assert.deepEqual([events.length, events.at(-1)?.event], [51, "complete"]);
});

Deno.test("an unreadable log breaks the connection and is logged", async () => {
  const test = createTestApp();
  test.runtime.addExecution();
  const failure = new Error("disk");
  test.runtime.follow = () =>
    Promise.resolve({
      identity: { executionId: 1, agentId: "writer", displayName: "The Writer" },
      isOver: false,
      items: { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }) },
    });
  const body = await open(test, "/executions/1/stream");
  await assert.rejects(new Response(body).text(), failure);
  const [line] = test.runtime.log.lines.filter(({ level }) => level === "error");
  assert.deepEqual(line?.fields, { execution: 1, error: failure });
  assert.deepEqual([test.lifecycle.activeStreams, test.clock.sleeping], [0, 0]);
});

Deno.test("GET /executions/{id}/stream sends a large frame in pieces with the same bytes", async () => {
  const { app, runtime } = createTestApp();
  runtime.addExecution();
  runtime.append(1, "ai", { content: "x" + "😀".repeat(200_000) });
  runtime.setStatus(1, "success");
  const response = await app.request("/executions/1/stream");
  const pieces = await Array.fromAsync(response.body ?? assert.fail());
  assert.ok(pieces.every(({ length }) => length <= 4 * 64 * 1_024));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(
    await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer(),
  );
  assert.ok(text.includes(`data: ${runtime.frames[0]?.payload}\n`));
});
