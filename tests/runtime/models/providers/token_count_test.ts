import assert from "node:assert/strict";
import { OllamaReplyAssembler } from "../../../../runtime/models/providers/ollama.ts";
import { OpenAiReplyAssembler } from "../../../../runtime/models/providers/openai_reply.ts";

Deno.test("a reply has valid token counts, even if the endpoint reports impossible ones", () => {
  const openAi = new OpenAiReplyAssembler({ format: "openai", model: "m" });
  openAi.add(JSON.parse('{"usage":{"prompt_tokens":1e999,"completion_tokens":-3,"cost":1e999}}'));
  openAi.add({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  const expected = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  assert.deepEqual(openAi.finish()?.usage, expected);
  assert.equal(openAi.finish()?.reportedCostUsd, null);
  const ollama = new OllamaReplyAssembler({ format: "ollama", model: "m" }, 5);
  ollama.add({ done: true, prompt_eval_count: -1, eval_count: 1.5 });
  assert.deepEqual([ollama.finish()?.usage?.inputTokens, ollama.finish()?.usage?.outputTokens], [
    0,
    2,
  ]);
});
