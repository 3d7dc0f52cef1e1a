// Tests of answers to waiting executions, by options and at a terminal, including executions of a killed service.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createRealHome, killService, type RealHome } from "./real_process.ts";
import { RealTerminal, testInTerminal as test } from "./terminal/real_terminal.ts";

const WRITE = { call: [{ name: "file_write", arguments: { path: "b.txt", content: "copy" } }] };

async function readResults(home: RealHome): Promise<string[]> {
  using client = home.client();
  const rows = await client.messages(1);
  return rows.filter((row) => row.event_type === "tool_result").map((row) => row.message);
}

test("run asks at the terminal; Esc leaves a question open, which respond answers once after a kill", async () => {
  await using home = await createRealHome();
  const ask = (args: Record<string, unknown>) => ({
    call: [{ name: "ask_user", arguments: args }],
  });
  await home.writeScript("asker", [
    ask({ question: "Which colour?", options: ["red", "green", "blue"] }),
    ask({ question: "Your name?" }),
    WRITE,
    { say: "Written." },
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
  const [colour, name] = await readResults(home);
  assert.match(colour ?? "", /green/);
  assert.match(name ?? "", /Zoë 🚀/);

  await killService(home.stateDir);
  const answered = await home.succeed("respond", "1", "--yes");
  assert.equal(answered.stdout, "Written.\n");
  assert.match(answered.stderr, /^Starting the service\n\? file_write b\.txt[^✔]*✔ file_write/);
  assert.equal(await Deno.readTextFile(join(home.workspace, "b.txt")), "copy");
  assert.equal((await readResults(home)).length, 3);
});
