// Tests of answers to waiting executions, by options and at a terminal, including executions of a killed service.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createRealHome, killService, type RealHome } from "./real_process.ts";
import { RealTerminal, testInTerminal as test } from "./terminal/real_terminal.ts";

const WRITE = { call: [{ name: "file_write", arguments: { path: "b.txt", content: "copy" } }] };

/** Runs an agent until its execution waits for an answer. */
async function runToQuestion(home: RealHome, agent: string): Promise<string> {
  const { code, stdout, stderr } = await home.inkling("run", agent);
  assert.equal(code, 4, stderr);
  assert.equal(stdout, "");
  const [, id] = /Answer it with: inkling respond (\d+) /.exec(stderr) ?? [];
  assert.ok(id, stderr);
  return id;
}

async function readResults(home: RealHome, id: string): Promise<string[]> {
  using client = home.client();
  const rows = await client.messages(Number(id));
  return rows.filter((row) => row.event_type === "tool_result").map((row) => row.message);
}

Deno.test("respond --yes on a killed service starts it, and the approved call runs once", async () => {
  await using home = await createRealHome();
  await home.writeScript("writer", [WRITE, { say: "Written." }]);
  const id = await runToQuestion(home, "writer");
  await killService(home.stateDir);
  const answered = await home.succeed("respond", id, "--yes");
  assert.equal(answered.stdout, "Written.\n");
  assert.match(answered.stderr, /^Starting the service\n\? file_write b\.txt[^✔]*✔ file_write/);
  assert.equal(await Deno.readTextFile(join(home.workspace, "b.txt")), "copy");
  assert.equal((await readResults(home, id)).length, 1);
});

test("run asks questions at the terminal, and Esc leaves the last question open", async () => {
  await using home = await createRealHome();
  const ask = (args: Record<string, unknown>) => ({
    call: [{ name: "ask_user", arguments: args }],
  });
  await home.writeScript("asker", [
    ask({ question: "Which colour?", options: ["red", "green", "blue"] }),
    ask({ question: "Your name?" }),
    WRITE,
  ]);
  await using terminal = await RealTerminal.open(home, ["run", "asker"]);
  await terminal.waitFor(/Which colour\?\n[^]*red[^]*blue/);
  await terminal.press("Down", "Enter");
  await terminal.waitFor(/Your name\?\n[^]*\n└/);
  await terminal.type("Zoë 🚀");
  await terminal.press("Enter");
  await terminal.waitFor(/Allow file_write\?[^]*Approve\n[^]*● Deny/);
  await terminal.press("Escape");
  const shown = await terminal.endsWith(4);
  assert.match(shown, /Answer it with: inkling respond 1 --yes/);
  const [colour, name] = await readResults(home, "1");
  assert.match(colour ?? "", /green/);
  assert.match(name ?? "", /Zoë 🚀/);
});
