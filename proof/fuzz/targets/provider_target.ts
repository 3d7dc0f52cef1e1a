// Fuzzes the adapters of model providers with damaged streams over a real connection.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Model } from "../../../runtime/models/model.ts";
import { ModelError } from "../../../runtime/models/model.ts";
import { type CollectedReply, collectReply } from "../../../tests/support/collect_reply.ts";
import { ADAPTERS, KEY, open } from "../../../tests/support/models/model_adapters.ts";
import type { ModelServer, ModelStep } from "../../../tests/support/models/model_server.ts";
import { type Damage, damage, damaged, inPieces, replySteps } from "../provider_damage.ts";
import { defineTarget } from "../target.ts";

/** One provider for each wire format. */
const PROVIDERS = ["openai", "anthropic", "google", "ollama"] as const;

interface Line {
  server: ModelServer;
  model: Model;
}
interface World {
  lines: Record<typeof PROVIDERS[number], Line>;
}

async function openLines(): Promise<World & AsyncDisposable> {
  await using servers = new AsyncDisposableStack();
  const opened: [string, Line][] = [];
  for (const provider of PROVIDERS) {
    const adapter = ADAPTERS.find((one) => one.provider === provider);
    assert.ok(adapter !== undefined);
    const server = servers.use(adapter.serve([]));
    opened.push([provider, { server, model: await open(adapter, server) }]);
  }
  const kept = servers.move();
  return {
    lines: Object.fromEntries(opened) as World["lines"],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

interface Case {
  provider: typeof PROVIDERS[number];
  step: ModelStep;
  damage: Damage;
  lengths: number[];
}

export const providerStreams = defineTarget<Case, World>({
  name: "provider-streams",
  claim:
    "a provider's stream, however it is broken, ends in a reply or a clear ModelError, and no text is invented",
  open: openLines,
  cases: () =>
    fc.record({
      provider: fc.constantFrom(...PROVIDERS),
      step: replySteps,
      damage,
      lengths: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
    }),
  async check({ provider, step, damage, lengths }, { lines }) {
    const { server, model } = lines[provider];
    const pieces = server.write(step);
    const bytes = damaged(pieces, damage, server);
    server.push({ bytes: inPieces(bytes, lengths) });
    const texts: string[] = [];
    const outcome = await collectReply(model, undefined, {
      onDelta: (delta) => delta.type === "text" && texts.push(delta.text),
    }).catch((error: unknown) => error);
    const said = texts.join("");
    if (outcome instanceof Error) assertClear(outcome);
    else assertWhole(outcome as CollectedReply, said);
    const written = [step.text ?? []].flat();
    if (damage.kind === "none") {
      assert.ok(!(outcome instanceof Error), String(outcome));
      assert.equal(said, written.join(""));
      const { toolCalls } = (outcome as CollectedReply).reply.message;
      assert.deepEqual(
        toolCalls.map(({ name, arguments: args }) => ({ name, arguments: JSON.parse(args) })),
        (step.toolCalls ?? []).map(({ name, arguments: args }) => ({ name, arguments: args })),
      );
    } else if (damage.kind === "cut") assert.ok(written.join("").startsWith(said), said);
    else if (damage.kind === "mixed") {
      for (const text of texts) assert.ok(isMadeOf(text, written), `invented: ${text}`);
    }
  },
});

/**
 * Returns true if the text is a sequence of these pieces. A delivered text may consist of several pieces, because the
 * adapter keeps the first pieces until they cannot be the tag of a thought.
 */
function isMadeOf(text: string, pieces: readonly string[]): boolean {
  return text === "" ||
    pieces.some((piece) =>
      piece !== "" && text.startsWith(piece) && isMadeOf(text.slice(piece.length), pieces)
    );
}

function assertClear(error: Error): void {
  assert.ok(error instanceof ModelError, error.stack ?? error.message);
  assert.ok(
    error.message !== "" && !error.message.includes("\n") && !error.message.includes(KEY),
    error.message,
  );
  assert.ok(error.message.length < 2_000);
}

function assertWhole({ reply }: CollectedReply, said: string): void {
  const { content, toolCalls } = reply.message;
  assert.equal(content, said);
  assert.equal(
    new Set(toolCalls.map(({ id }) => id)).size,
    toolCalls.length,
    "two calls have one id",
  );
  for (const { id, name, arguments: args } of toolCalls) {
    assert.ok([id, name, args].every((one) => typeof one === "string") && id !== "");
  }
  for (const count of Object.values(reply.usage ?? {})) {
    assert.ok(Number.isSafeInteger(count) && count >= 0, `${count} tokens`);
  }
  assert.ok(
    reply.reportedCostUsd === null ||
      Number.isFinite(reply.reportedCostUsd) && reply.reportedCostUsd >= 0,
  );
}
