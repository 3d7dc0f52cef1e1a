// Fuzzes the stream of an execution's frames with any cursor, any content, and bytes in any pieces.
import assert from "node:assert/strict";
import fc from "fast-check";
import { FrameRenderer } from "../../../cli/output/run/frames.ts";
import { createStyle } from "../../../cli/output/style.ts";
import type { JsonObject } from "../../../base/json.ts";
import { createFrame, EVENT_TYPES, FRAME_EVENTS } from "../../../runtime/events/frame.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { Client, type StreamFrame } from "../../../api/client/client.ts";
import { parseEventStream } from "../../../base/text/event_stream.ts";
import { toEvent } from "../../../api/streams/server_sent_events.ts";
import { createTestApp, type TestApp } from "../../../tests/support/test_app.ts";
import { anyText, terminalText } from "../odd_text.ts";
import { defineTarget } from "../target.ts";

const COUNT = 8;
/**
 * Returns an app with an ended execution. The ids of its frames have gaps, because the frames of another execution lie
 * between them.
 */
function createFinishedApp(): TestApp {
  const test = createTestApp();
  const [ours, other] = [test.runtime.addExecution(), test.runtime.addExecution()];
  for (let number = 0; number < COUNT; number++) {
    test.runtime.append(number % 3 === 1 ? other.id : ours.id, "ai", {
      content: `${number}\u2028`,
    });
  }
  test.runtime.setStatus(ours.id, "success");
  return test;
}

const cursorText = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -2, max: COUNT + 3 }).map(String) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        "",
        " ",
        "+3",
        "03",
        "1e1",
        "0x1",
        "1.0",
        "9007199254740991",
        "9007199254740993",
        "9".repeat(401),
        "٣",
        "-0",
      ],
      ...["NaN", "Infinity", "null", "3 ", " 3", "3,4", "\t3", "3\u00a0"],
    ),
  },
  { weight: 1, arbitrary: anyText },
);

export const eventCursors = defineTarget<[string | undefined, string | undefined, number[]]>({
  name: "event-cursors",
  claim:
    "a cursor gives exactly the frames after it, or is refused; a reader that resumes anywhere misses none",
  cases: () =>
    fc.tuple(
      fc.option(cursorText, { nil: undefined }),
      fc.option(cursorText, { nil: undefined }),
      fc.array(fc.nat(COUNT), { maxLength: 5 }),
    ),
  async check([header, query, breaks]) {
    const { app, runtime } = createFinishedApp();
    const all = runtime.frames.filter(({ executionId }) => executionId === 1).map(({ id }) => id);
    // Replace characters that a header cannot contain.
    const given = header?.replaceAll(/[^\x20-\x7e]/g, "?");
    const path = query === undefined ? "" : `?after=${encodeURIComponent(query.toWellFormed())}`;
    const headers: Record<string, string> = given === undefined ? {} : { "last-event-id": given };
    const response = await app.request(`/executions/1/stream${path}`, { headers });
    // White space around a header's value does not belong to the value, and a blank value is absent.
    const texts = [given?.trim(), query]
      .filter((text) => text !== undefined && text.trim() !== "") as string[];
    const isNumber = (text: string) =>
      /^[+-]?\d{1,400}$/.test(text) && Number.isSafeInteger(Number(text)) && Number(text) >= 0;
    if (texts.every(isNumber)) {
      // A client that has the last frame gets status 204, because there are no more frames.
      const hadAll = texts[0] !== undefined && Number(texts[0]) === all.at(-1);
      assert.equal(response.status, hadAll ? 204 : 200);
      const events = hadAll ? [] : await Array.fromAsync(
        parseEventStream(response.body ?? assert.fail()),
      );
      const after = Number(texts[0] ?? 0);
      assert.deepEqual(events.map(({ id }) => Number(id)), all.filter((id) => id > after));
    } else {
      assert.equal(response.status, 422, `${given} ${query}`);
      assert.ok(Array.isArray((await response.json()).detail));
    }
    const read: StreamFrame[] = [];
    const client = new Client({ fetch: (path, init) => Promise.resolve(app.request(path, init)) });
    for (const length of [...breaks, Infinity]) {
      let left = length;
      if (left === 0) continue;
      for await (const frame of client.follow(1, { after: read.at(-1)?.id ?? 0 })) {
        read.push(frame);
        if (--left === 0 || frame.event === "complete") break;
      }
      if (read.at(-1)?.event === "complete") break;
    }
    assert.deepEqual(read.map(({ id }) => id), all);
  },
});

const event = fc.record({
  event: fc.constantFrom("ai", "meta", "complete"),
  data: anyText.map((text) => JSON.stringify({ text })),
  id: fc.option(fc.nat(), { nil: undefined }),
  end: fc.constantFrom("\n", "\r\n", "\r"),
});
const noise = fc.constantFrom(
  "",
  ": keep-alive\n\n",
  ":\r\n\r\n",
  "retry: 5\n",
  "unknown: x\n",
  "data\n\n".slice(4),
);

export const eventStreams = defineTarget({
  name: "event-streams",
  claim: "a stream of events is read as it was written, with any line ends and pieces",
  cases: () =>
    fc.tuple(
      fc.array(fc.tuple(event, noise), { maxLength: 5 }),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 }),
      fc.uint8Array({ maxLength: 30 }),
    ),
  async check([events, lengths, garbage]) {
    const text = events.map(([{ event, data, id, end }, before]) =>
      before + toEvent(event, data, id).replaceAll("\n", end)
    ).join("");
    const read = await Array.fromAsync(
      parseEventStream(inPieces(new TextEncoder().encode(text), lengths)),
    );
    assert.deepEqual(
      read,
      events.map(([{ event, data, id }]) => ({
        event,
        data,
        id: id === undefined ? undefined : String(id),
      })),
    );
    // The parser must also end for bytes that are no event stream.
    await Array.fromAsync(parseEventStream(inPieces(garbage, lengths)));
  },
});

function inPieces(bytes: Uint8Array, lengths: readonly number[]): ReadableStream<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    pieces.push(bytes.slice(at, at + length));
    at += length;
  }
  return ReadableStream.from([...pieces, bytes.slice(at)]);
}

const fields = fc.record({
  content: fc.oneof(terminalText, fc.jsonValue()),
  role: fc.oneof(fc.constantFrom("system", "user"), anyText),
  model: terminalText,
  tool_name: terminalText,
  tool_call_id: fc.constantFrom("c1", "c2"),
  is_error: fc.oneof(fc.boolean(), fc.jsonValue()),
  duration_ms: fc.oneof(fc.nat(), fc.jsonValue()),
  tools: fc.oneof(
    fc.array(
      fc.record({ id: fc.constantFrom("c1", "c2"), name: terminalText, args: terminalText }),
      { maxLength: 3 },
    ),
    fc.jsonValue(),
  ),
  total_tokens: fc.oneof(fc.nat(), fc.jsonValue()),
  cost_usd: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.jsonValue()),
  status: fc.oneof(fc.constantFrom("success", "error", "aborted", "timeout"), terminalText),
  error: fc.oneof(terminalText, fc.constant(null)),
  options: fc.jsonValue(),
}, { requiredKeys: [] });
const FORBIDDEN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

export const frames = defineTarget({
  name: "frames",
  claim:
    "a frame of any content reaches a client as it was written, live, in the log and on a terminal without control characters",
  cases: () =>
    fc.array(
      fc.record({
        event: fc.constantFrom(...FRAME_EVENTS.filter((one) => one !== "complete")),
        eventType: fc.constantFrom(...EVENT_TYPES),
        message: fc.oneof(anyText, terminalText),
        fields,
      }),
      { minLength: 1, maxLength: 4 },
    ),
  async check(contents) {
    const { app, runtime } = createTestApp();
    const { id } = runtime.addExecution();
    const redactor = new Redactor(() => []);
    const identity = { executionId: id, agentId: "writer", displayName: "The Writer" };
    for (const content of contents) {
      const draft = createFrame(identity, content, { redactor, at: 0 });
      runtime.frames.push({ ...draft, id: runtime.frames.length + 1, executionId: id });
    }
    runtime.setStatus(id, "success");
    const client = new Client({ fetch: (path, init) => Promise.resolve(app.request(path, init)) });
    const read = await Array.fromAsync(client.follow(id));
    assert.deepEqual(
      read.map(({ id, event, data }) => ({ id, event, data })),
      runtime.frames.map(({ id, event, payload }) => ({ id, event, data: payload })),
    );
    const rows = await client.messages(id);
    for (const [index, content] of contents.entries()) {
      const [row, frame] = [rows[index], read[index]];
      assert.ok(row !== undefined && frame !== undefined);
      assert.equal(row.message, content.message);
      assert.equal(row.event_type, content.eventType);
      const metadata = row.metadata === null ? {} : JSON.parse(row.metadata) as JsonObject;
      const received = { content: content.message, ...metadata };
      for (const [name, value] of Object.entries(content.fields)) {
        // Compare the values as JSON, which has no undefined and no -0.
        assert.deepEqual(
          received[name as keyof typeof received],
          JSON.parse(JSON.stringify(value)),
          name,
        );
      }
    }
    const style = createStyle({ colors: true });
    const renderer = new FrameRenderer({
      style,
      columns: 60,
      verbose: true,
      showMessages: true,
      showCalls: true,
    });
    for (const { payload } of read) {
      for (const { text } of renderer.render(payload)) {
        // deno-lint-ignore no-control-regex -- that is what colours are
        assert.doesNotMatch(text.replaceAll(/\u001b\[\d+m/g, ""), FORBIDDEN);
      }
    }
  },
});
