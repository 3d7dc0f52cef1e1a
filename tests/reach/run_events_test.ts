// The follower of runs that all protocols share: joined texts, answered questions, and a service that stops.
import assert from "node:assert/strict";
import { ApiError, type Client, type StreamFrame } from "../../api/client/client.ts";
import { followRun, type RunEvent } from "../../reach/run_events.ts";
import { TestClock } from "../support/test_clock.ts";

type Frames = (Pick<StreamFrame, "event"> & { id?: number; payload?: Record<string, unknown> })[];

/** A client whose streams are prepared, one for each call. It notes the frames after which it was asked. */
function prepare(
  streams: Frames[],
  { isOpen = () => true, hasEnded = () => true }: {
    isOpen?: () => boolean;
    hasEnded?: () => boolean;
  } = {},
) {
  const asked: (number | undefined)[] = [];
  const client = {
    async *follow(_id: number, { after }: { after?: number }) {
      asked.push(after);
      for (const { id = null, event, payload = {} } of streams.shift() ?? []) {
        yield await Promise.resolve({ id, event, payload });
      }
    },
    pending: () =>
      isOpen()
        ? Promise.resolve({ request_id: "r" })
        : Promise.reject(new ApiError(404, "No question")),
    execution: (id: number) =>
      Promise.resolve({ id, finished_at: hasEnded() ? "2026-11-29T10:00:00Z" : null }),
  };
  return { client: client as unknown as Client, asked };
}

async function read(events: AsyncIterable<RunEvent>): Promise<string[]> {
  const found: string[] = [];
  for await (const event of events) {
    found.push("text" in event ? `${event.type} ${event.text}` : event.type);
  }
  return found;
}

Deno.test("pieces and whole replies are joined: nothing twice, an empty line between replies", async () => {
  const { client } = prepare([[
    { event: "delta", payload: { content: "Hel" } },
    { event: "delta", payload: { content: "Hallo", restart: true } },
    { id: 1, event: "ai", payload: { content: "Hallo you" } },
    { id: 2, event: "meta", payload: { kind: "reasoning", content: "think" } },
    { id: 3, event: "meta", payload: { kind: "notice", content: "" } },
    { id: 4, event: "meta", payload: { kind: "retry", message: "again" } },
    { id: 5, event: "ai", payload: { content: "Second" } },
    { id: 6, event: "complete" },
  ]]);
  assert.deepEqual(await read(followRun(client, { id: 1, after: 0 }, { deltas: true })), [
    ...["text Hel", "text \n\nHallo", "text  you", "reasoning think", "note again"],
    ...["text \n\nSecond", "end"],
  ]);
});

Deno.test("a question that was answered meanwhile is no event, and the run goes on behind it", async () => {
  const { client, asked } = prepare([
    [{ id: 3, event: "interrupt" }, { event: "waiting" }],
    [{ id: 4, event: "complete" }],
  ], { isOpen: () => false });
  assert.deepEqual(await read(followRun(client, { id: 1, after: 2 })), ["end"]);
  assert.deepEqual(asked, [2, 3]);
  const open = prepare([[{ id: 3, event: "interrupt" }, { event: "waiting" }], [
    { id: 4, event: "complete" },
  ]]);
  assert.deepEqual(await read(followRun(open.client, { id: 1, after: 0 })), ["waiting", "end"]);
  assert.deepEqual(open.asked, [0, 3]);
});

Deno.test("a stopped service is waited for only if it can restart, and not for ever", async () => {
  const stop: Frames = [{ id: 2, event: "ai", payload: { content: "Half" } }, {
    event: "shutdown",
  }];
  const hasEnded = () => false;
  const alone = prepare([stop], { hasEnded });
  await assert.rejects(
    read(followRun(alone.client, { id: 1, after: 0 })),
    /The service stopped during execution 1, which goes on when the service starts again/,
  );
  const clock = new TestClock();
  let isOver = false;
  const again = prepare([stop, [{ id: 3, event: "complete" }]], { hasEnded: () => isOver });
  const events = followRun(again.client, { id: 1, after: 0 }, { restarts: clock });
  assert.equal((await events.next()).value?.type, "text");
  const next = events.next();
  await clock.advance(500);
  isOver = true;
  await clock.advance(500);
  assert.equal((await next).value?.type, "end");
  assert.deepEqual(again.asked, [0, 2]);
  const never = prepare([stop], { hasEnded });
  const ended = assert.rejects(
    read(followRun(never.client, { id: 1, after: 0 }, { restarts: clock })),
    /The service stopped/,
  );
  for (let second = 0; second < 31; second++) await clock.advance(1_000);
  await ended;
});
