import assert from "node:assert/strict";
import { join } from "node:path";
import { AgentNotFound } from "../../../../runtime/agents/known_agents.ts";
import { createTestWorkspace, runToEnd } from "../../../support/test_workspace.ts";

const STEPS = JSON.stringify([
  { call: [{ name: "file_write", arguments: { path: "a.txt", content: "x" } }] },
  { say: "Done." },
]);
const AGENT = (lines: string) =>
  `---\nmodel: { provider: demo, name: script }   # no key\n${lines}---\n\`\`\`demo\n${STEPS}\n\`\`\`\n`;

Deno.test("autoApprove() shows the change and writes one entry, which applies at once", async () => {
  await using place = await createTestWorkspace();
  const path = join(place.agentsDir, "writer.md");
  await place.writeAgent("writer", AGENT(""));
  await Deno.chmod(path, 0o640);
  await using runtime = await place.open();
  const only = await runtime.autoApprove("writer", { tool: "file_write", write: false });
  assert.deepEqual([only.path, only.written, only.already], [path, false, false]);
  const wanted =
    /^@@ -1,5 \+1,6 @@\n ---\n model: .* # no key\n\+auto_approve: \[file_write\]\n ---\n/;
  assert.match(only.diff, wanted);
  assert.equal(await Deno.readTextFile(path), AGENT(""));

  assert.equal((await runToEnd(runtime, "writer")).status, "waiting");
  // Several concurrent calls write one entry.
  const all = await Promise.all(
    [1, 2, 3].map(() => runtime.autoApprove("writer", { tool: "file_write", write: true })),
  );
  const expected = [[true, false], [false, true], [false, true]];
  assert.deepEqual(all.map(({ written, already }) => [written, already]), expected);
  assert.equal(all[0]?.diff, only.diff);
  assert.equal(await Deno.readTextFile(path), AGENT("auto_approve: [file_write]\n"));
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o640);
  assert.deepEqual((await runtime.getAgent("writer")).agent.autoApprove, ["file_write"]);
  const found = (await runToEnd(runtime, "writer", { sessionId: "s", message: "x" })).status;
  assert.equal(found, "success");
  assert.equal((await Array.fromAsync(Deno.readDir(place.agentsDir))).length, 1);
});

Deno.test("autoApprove() accepts only tools of the agent that wait for approval", async () => {
  await using place = await createTestWorkspace();
  const path = join(place.agentsDir, "writer.md");
  await place.writeAgent("writer", AGENT(""));
  await using runtime = await place.open();
  const approve = () => runtime.autoApprove("writer", { tool: "file_write", write: true });
  const cases = [
    [AGENT("confirm: ["), /^Cannot change writer\.md: writer\.md:\d+:\d+: /],
    [AGENT("enabled: maybe\n"), /writer\.md:3:\d+: enabled/],
    [AGENT("confirm: &a [http_request]\nauto_approve: *a\n"), /by hand/],
  ] as const;
  for (const [text, sentence] of cases) {
    await Deno.writeTextFile(path, text);
    const refusal = { name: "NotAutoApproved", code: "conflict", message: sentence };
    await assert.rejects(approve(), refusal);
    assert.equal(await Deno.readTextFile(path), text);
  }
  await Deno.remove(path);
  await assert.rejects(approve(), /Agent 'writer' not found/);

  await place.writeAgent("writer", AGENT("confirm: [file_edit]\n"));
  const approveTool = (tool: string, agent = "writer") =>
    runtime.autoApprove(agent, { tool, write: true });
  assert.deepEqual((await approveTool("file_read")).already, true);
  assert.equal((await approveTool("file_edit")).written, true);
  await assert.rejects(approveTool("ask_user"), /ask_user asks by itself/);
  await assert.rejects(approveTool("file_wrote"), { name: "NotAutoApproved", code: "invalid" });
  await assert.rejects(approveTool("file_write", "nobody"), AgentNotFound);
});

Deno.test("autoApprove() of a command adds the narrowest pattern, after which such commands do not ask", async () => {
  await using place = await createTestWorkspace();
  const path = join(place.agentsDir, "worker.md");
  await place.writeAgent("worker", AGENT("shell: true\n"));
  await using runtime = await place.open();
  const allow = (command: string, write = true) =>
    runtime.autoApprove("worker", { tool: "shell", command, write });
  const { diff, written } = await allow("git log --oneline -3 | head", false);
  assert.match(diff, /\n-shell: true\n\+shell: \{ allow: \[git log \*, head\] \}\n/);
  assert.equal(written, false);
  assert.equal((await allow("git log --oneline -3 | head")).written, true);
  assert.deepEqual((await runtime.getAgent("worker")).agent.shell?.allow, ["git log *", "head"]);
  assert.equal((await allow("git log -1")).already, true);
  assert.equal((await allow("git status")).written, true);
  assert.match(await Deno.readTextFile(path), /allow: \[git log \*, head, git status\] \}/);
  const refusal = { name: "NotAutoApproved", code: "conflict" };
  await assert.rejects(allow("git log > x"), { ...refusal, message: /No pattern can allow/ });
  await place.writeAgent("worker", AGENT("shell: true\nconfirm: [shell]\n"));
  await assert.rejects(allow("git log"), { ...refusal, message: /remove shell from confirm/ });
  await place.writeAgent("worker", AGENT("name: x\n"));
  await assert.rejects(allow("git log"), { code: "invalid", message: /has no tool "shell"/ });
});

Deno.test("autoApprove() of a custom tool named shell allows no commands of the built-in shell", async () => {
  await using place = await createTestWorkspace();
  const folder = join(place.agentsDir, "_config/tools");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(
    join(folder, "shell.ts"),
    'export default { description: "x", parameters: { type: "object" }, run: () => "own" };\n',
  );
  await place.writeAgent("worker", AGENT('shell: true\ntools: [shell]\nconfirm: ["*"]\n'));
  await using runtime = await place.open();
  const asked = { tool: "shell", command: "rm -r x", write: true };
  await assert.rejects(runtime.autoApprove("worker", asked), /rename the custom tool shell/);
  const { agent } = await runtime.getAgent("worker");
  assert.deepEqual([agent.shell?.allow, agent.autoApprove], [[], []]);
});
