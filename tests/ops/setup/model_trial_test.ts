import assert from "node:assert/strict";
import { FREE_BILLING } from "../../support/models/free_billing.ts";
import { tryModel } from "../../../ops/setup/model_trial.ts";
import { ReplyTimeout } from "../../../runtime/models/calls/retry.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { TestClock } from "../../support/test_clock.ts";

const KEY = "sk-new-0123456789";

function attempt(
  server: OpenAiServer,
  options: { apiKey?: string; clock?: TestClock; signal?: AbortSignal } = {},
): Promise<void> {
  const { apiKey, clock = new TestClock(), signal = new AbortController().signal } = options;
  return tryModel(
    { provider: "mine", name: "tiny", baseUrl: server.url, streamUsage: true },
    {
      settings: {
        environment: { get: () => "sk-old-0123456789", secrets: () => [] },
        directories: { workspaceEnvFile: "/ws/.env" },
        config: { pinKeys: false },
      },
      apiKey,
      billing: FREE_BILLING,
      clock,
      signal,
    },
  );
}

Deno.test("tryModel() calls the model once with the typed or the saved key", async () => {
  await using server = new OpenAiServer([{ text: "ready" }, { text: "" }]);
  const clock = new TestClock();
  await attempt(server, { apiKey: KEY, clock });
  await attempt(server, { clock });
  server.assertDone();
  const keys = server.requests.map(({ headers }) => headers.get("authorization"));
  assert.deepEqual(keys, [`Bearer ${KEY}`, "Bearer sk-old-0123456789"]);
  assert.equal(clock.sleeping, 0);
});

Deno.test("tryModel() reports the provider's error at once, without the key", async () => {
  const body = JSON.stringify({ error: { message: `Busy: ${KEY}` } });
  await using server = new OpenAiServer([
    { status: 503, body },
    { status: 503, body: JSON.stringify({ error: { message: "none is free" } }) },
  ]);
  const refusal = { name: "ModelError", message: "mine answered 503: Busy: [key]" };
  await assert.rejects(attempt(server, { apiKey: KEY }), refusal);
  // A placeholder key may be a common word, so it is not redacted in the error.
  await assert.rejects(attempt(server, { apiKey: "none" }), /mine answered 503: none is free$/);
  server.assertDone();
});

Deno.test("tryModel() waits at most a minute, and stops with its caller", async () => {
  await using server = new OpenAiServer([{ silent: true }, { silent: true }]);
  const clock = new TestClock();
  const waiting = attempt(server, { clock });
  const late = assert.rejects(waiting, ReplyTimeout);
  await server.received(1);
  await clock.advance(60_000);
  await late;

  const caller = new AbortController();
  const leaving = assert.rejects(
    attempt(server, { clock, signal: caller.signal }),
    (error) => error === caller.signal.reason,
  );
  await server.received(2);
  caller.abort(new Error("Enough"));
  await leaving;
  assert.equal(clock.sleeping, 0);
});
