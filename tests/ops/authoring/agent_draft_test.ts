import assert from "node:assert/strict";
import { draftAgent } from "../../../ops/authoring/agent_draft.ts";
import type { Model, ModelRequest } from "../../../runtime/models/model.ts";
import { describeForbidden, describeUnseen } from "../../../ops/authoring/agent_draft.ts";

/** Returns a model that gives these replies in order and records its requests. */
function speaker(...replies: string[]): { model: Model; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = {
    id: "test/speaker",
    // deno-lint-ignore require-yield -- it yields the whole reply without streaming
    async *generate(request) {
      requests.push(request);
      const content = replies[requests.length - 1];
      assert.ok(content !== undefined, "one question too many");
      const message = { role: "assistant" as const, content, toolCalls: [] };
      return { message, stop: "end", usage: null, reportedCostUsd: null };
    },
  };
  return { model, requests };
}

function draft(model: Model, findProblems: (text: string) => Promise<string[]>): Promise<string> {
  return draftAgent({ id: "daily", description: "Sum up" }, {
    model,
    temperature: 0.7,
    maxTokens: 100,
    toolNames: ["file_read", "ask_user"],
    findProblems,
    signal: new AbortController().signal,
  });
}

const noProblems = () => Promise.resolve([]);
const FILE = "---\ndescription: x\n---\n\nGo.\n";

Deno.test("draftAgent() extracts the agent file from the model's reply", async () => {
  const fenced = "---\n---\n\nRun:\n\n```sh\nls\n```\n\nDone.\n";
  const table: [reply: string, file: string][] = [
    [FILE, FILE],
    [`\n\n${FILE}\n\n`, FILE],
    [FILE.replaceAll("\n", "\r\n"), FILE],
    [`\`\`\`\n${FILE}\`\`\``, FILE],
    [`Sure! Here it is:\n\n\`\`\`markdown\n${FILE}\`\`\`\n\nEnjoy.`, FILE],
    [`\`\`\`\`md\n${fenced}\`\`\`\``, fenced],
    [`\`\`\`md\n${fenced}\`\`\`\n`, fenced],
    [`\`\`\`md\n${FILE}`, FILE],
  ];
  for (const [reply, file] of table) {
    assert.equal(await draft(speaker(reply).model, noProblems), file);
  }
});

Deno.test("draftAgent() sends the tools, the id and the description to the model", async () => {
  const { model, requests } = speaker(FILE);
  await draft(model, noProblems);
  const [request] = requests;
  assert.deepEqual([request?.maxTokens, request?.temperature, request?.tools], [100, 0.7, []]);
  assert.match(request?.messages[0]?.content ?? "", /file_read, ask_user/);
  assert.match(request?.messages[1]?.content ?? "", /"daily"[^]*Sum up/);
});

Deno.test("describeUnseen() finds characters that a terminal does not show", () => {
  for (const text of ["a\u0007", "a\u001b[31mb", "a\u202eb", "a\u2066b", "a\rb", "\u0000"]) {
    const expected = "The file contains invisible control characters";
    assert.equal(describeUnseen(text), expected, JSON.stringify(text));
  }
  assert.equal(describeUnseen("---\n---\n\tÄ 漢字 🧪 عربي\n"), undefined);
});

Deno.test("describeForbidden() names every field that reveals a key, runs a program, or skips approval", () => {
  const written = {
    auto_approve: "*",
    custom_tools: ["a"],
    tools: null,
    mcp: ["files"],
    model: { provider: "openai", name: "m", base_url: "https://x.example", api_key_env: "KEY" },
    description: "Sorts",
  };
  const expected = ["auto_approve", "custom_tools", "mcp", "model.base_url", "model.api_key_env"];
  assert.deepEqual(describeForbidden(written).map((one) => one.split(" ")[1]), expected);
  assert.deepEqual(describeForbidden({ trigger: { type: "manual" }, model: "text" }), []);
});
