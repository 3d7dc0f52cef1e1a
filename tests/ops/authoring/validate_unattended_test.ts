import assert from "node:assert/strict";
import { configOf } from "../../runtime/agents/parsed_file.ts";
import { DEMO, validate } from "./validated.ts";

const SCHEDULE = "trigger: { type: schedule, every: 5m }";

/** Returns the warnings about tools that wait for approval, for this front matter and config.yaml. */
async function warningsOf(lines: string, config = ""): Promise<string[]> {
  return (await validate(`${DEMO}\n${lines}`, { config: configOf(config) }))
    .filter((one) => one.includes("This agent starts"));
}

const BOTH =
  "warning daily.md:3:18: This agent starts by itself, but file_delete and file_write will wait for a " +
  "person (auto_approve: [file_delete, file_write] lets them run; " +
  "confirm: [file_delete, file_write] lets them wait)";

Deno.test("validate lists the tools that wait for approval in an agent with a trigger", async () => {
  assert.deepEqual(await warningsOf(SCHEDULE), [BOTH]);
  assert.deepEqual(await warningsOf("trigger: { type: watch, paths: [in] }"), [BOTH]);
  const [one] = await warningsOf(`${SCHEDULE}\nauto_approve: [file_delete]`);
  assert.match(one ?? "", /, but file_write will wait for a person \(auto_approve: \[file_write\]/);
  const [all] = await warningsOf(SCHEDULE, "defaults: { confirm_tools: ['*'] }");
  assert.match(all ?? "", /, but every tool will wait for a person \(auto_approve: \["\*"\]/);
  const [server] = await warningsOf(
    `${SCHEDULE}\nauto_approve: [file_delete, file_write]\nmcp: [notes]`,
    "defaults: { mcp_confirm: writes }",
  );
  const free = "auto_approve: [file_delete, file_write]";
  const [shell] = await warningsOf(`${SCHEDULE}\n${free}\nshell: true`);
  assert.match(shell ?? "", /, but shell will wait for a person \(auto_approve: \[shell\]/);
  assert.match(server ?? "", /, but tools of notes will wait for a person .*\[notes\/\*\] lets/);
});

Deno.test("validate accepts waiting tools if only a person starts the agent", async () => {
  // deno-fmt-ignore
  const lineses = [
    "enabled: true", `${SCHEDULE}\nenabled: false`, `${SCHEDULE}\nauto_approve: "*"`,
    `${SCHEDULE}\nauto_approve: [file_delete, file_write]`,
    `${SCHEDULE}\nconfirm: [file_delete, file_write]`, `${SCHEDULE}\nconfirm: ["*"]`,
    `${SCHEDULE}\nauto_approve: [file_delete, file_write, shell]\nshell: true`,
    `${SCHEDULE}\nauto_approve: [file_delete, file_write]\nshell: {allow: [ls *]}`,
    `${SCHEDULE}\non_pending: skip`, `${SCHEDULE}\nconfirm_timeout: 2h`,
    `${SCHEDULE}\nmcp: [notes]\nconfirm: [file_delete, file_write]`,
  ];
  for (const lines of lineses) assert.deepEqual(await warningsOf(lines), [], lines);
  // A guard causes no warning if the agent lacks its tool.
  assert.deepEqual(await warningsOf(SCHEDULE, "defaults: { confirm_tools: [deploy] }"), []);
});
