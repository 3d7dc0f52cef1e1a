// Tests that secrets of several lines, and cut secrets, are redacted in a custom tool's output.
import assert from "node:assert/strict";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { CallLog } from "../../../../runtime/tools/custom/call_log.ts";
import { ToolWorld } from "./tool_world.ts";

const KEY = {
  name: "SIGNING_KEY",
  value: "-----BEGIN KEY-----\nfirst-half-0123456789\n\nsecond-half-0123456789\n-----END KEY-----",
};
const TOKEN = { name: "APP_TOKEN", value: "sekret-value-1234567890" };

function openLog(): { log: CallLog; lines: string[] } {
  const lines: string[] = [];
  const redactor = new Redactor(() => [KEY, TOKEN]);
  return { log: new CallLog({ log: (line) => void lines.push(line), redactor }), lines };
}

Deno.test("CallLog redacts a secret of several lines in messages and output", () => {
  const { log, lines } = openLog();
  log.write(`before\n${KEY.value}\nafter`);
  for (const text of `one\nx ${KEY.value} y\ntwo`.split("\n")) {
    log.print({ text, source: "stdout", cut: false });
    log.print({ text: "between", source: "stderr", cut: false });
  }
  log.finish();
  const said = ["before", "[redacted:SIGNING_KEY]", "after"];
  assert.deepEqual(lines.slice(0, 3), said);
  const printed = lines.slice(3).filter((line) => line !== "between");
  assert.deepEqual(printed, ["one", "x [redacted:SIGNING_KEY] y", "two"]);
});

Deno.test("CallLog delays lines that may begin a secret until the call ends at the latest", () => {
  const { log, lines } = openLog();
  log.print({ text: "-----BEGIN KEY-----", source: "stdout", cut: false });
  assert.deepEqual(lines, []);
  log.print({ text: "of another", source: "stdout", cut: false });
  log.print({ text: "-----BEGIN KEY-----", source: "stdout", cut: false });
  log.finish();
  assert.deepEqual(
    lines,
    ["-----BEGIN KEY-----", "of another", "-----BEGIN KEY-----"],
  );
});

Deno.test("a custom tool's log, output and error contain no part of a secret", async () => {
  await using world = await ToolWorld.open({ isConfined: true });
  await world.writeTool(
    "leak",
    `context.log("said " + args.key);
     console.log("printed " + args.key);
     console.error("x".repeat(1_990) + args.token);
     throw new Error("e".repeat(3_990) + args.token);`,
  );
  const secrets = [KEY, TOKEN];
  const args = { key: KEY.value, token: TOKEN.value };
  const failure = await world.call("leak", args, { secrets }).then(() => "", String);
  assert.ok(failure.endsWith("e"), failure.slice(-30));
  const logged = world.logged.join("\n");
  assert.match(logged, /said \[redacted:SIGNING_KEY\]/);
  assert.match(logged, /printed \[redacted:SIGNING_KEY\]/);
  assert.doesNotMatch(logged, /half|sek/);
});
