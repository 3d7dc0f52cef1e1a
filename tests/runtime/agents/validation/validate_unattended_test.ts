import assert from "node:assert/strict";
import { configOf } from "../parsed_file.ts";
import { DEMO, validate } from "./validated.ts";

const SCHEDULE = "trigger: { type: schedule, every: 5m }";

/** What validation says of tools that will wait, by what the front matter and config.yaml say. */
async function warningsOf(lines: string, config = ""): Promise<string[]> {
  return (await validate(`${DEMO}\n${lines}`, { config: configOf(config) }))
    .filter((one) => one.includes("This fires"));
}

const BOTH =
  "warning daily.md:3:18: This fires without you, and file_delete and file_write will wait for a " +
  "person (auto_approve: [file_delete, file_write] lets them run; " +
  "confirm: [file_delete, file_write] says that they may wait)";

Deno.test("validate says of an agent that fires by itself which of its tools will wait for a person", async () => {
  assert.deepEqual(await warningsOf(SCHEDULE), [BOTH]);
  assert.deepEqual(await warningsOf("trigger: { type: watch, paths: [in] }"), [BOTH]);
  const [one] = await warningsOf(`${SCHEDULE}\nauto_approve: [file_delete]`);
  assert.match(one ?? "", /, and file_write will wait for a person \(auto_approve: \[file_write\]/);
  const [all] = await warningsOf(SCHEDULE, "defaults: { confirm_tools: ['*'] }");
  assert.match(all ?? "", /, and every tool will wait for a person \(auto_approve: \["\*"\]/);
  const [server] = await warningsOf(
    `${SCHEDULE}\nauto_approve: [file_delete, file_write]\nmcp: [notes]`,
    "defaults: { mcp_confirm: writes }",
  );
  assert.match(server ?? "", /, and tools of notes will wait for a person .*\[notes\/\*\] lets/);
});

Deno.test("validate says nothing of tools that wait where a person starts the agent, none waits, or the file says that they may", async () => {
  // deno-fmt-ignore
  const lineses = [
    "enabled: true", `${SCHEDULE}\nenabled: false`, `${SCHEDULE}\nauto_approve: "*"`,
    `${SCHEDULE}\nauto_approve: [file_delete, file_write]`,
    `${SCHEDULE}\nconfirm: [file_delete, file_write]`, `${SCHEDULE}\nconfirm: ["*"]`,
    `${SCHEDULE}\non_pending: skip`, `${SCHEDULE}\nconfirm_timeout: 2h`,
    `${SCHEDULE}\nmcp: [notes]\nconfirm: [file_delete, file_write]`,
  ];
  for (const lines of lineses) assert.deepEqual(await warningsOf(lines), [], lines);
  // A tool that it does not have waits for nobody.
  assert.deepEqual(await warningsOf(SCHEDULE, "defaults: { confirm_tools: [deploy] }"), []);
});
