import assert from "node:assert/strict";
import type { DiagnosticBody } from "../../server/schemas/diagnostic_schemas.ts";
import { fakeAgent } from "../support/fake_agent.ts";
import { createFakeCli } from "./fake_cli.ts";

function unknownKey(key: string, hint: string | null = null): DiagnosticBody {
  const message = `Unknown key ${key}: it is ignored`;
  return { path: "/c/config.yaml", line: 2, column: 1, severity: "warning", message, hint };
}

const WARNING =
  'Warning: /c/config.yaml:2:1: Unknown key workspce: it is ignored (did you mean "workspace"?)\n';

Deno.test("commands that read config.yaml, or start a service that does, warn of its unknown keys", async () => {
  for (
    const command of [["info"], ["start"], ["start", "-d"], ["pending"], ["run", "daily", "-d"]]
  ) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.runtime.addAgent(fakeAgent("daily"));
    cli.configWarnings = [unknownKey("workspce", 'did you mean "workspace"?')];
    assert.equal(await cli.drive(cli.run(...command)), 0, cli.stderr.text);
    assert.ok(cli.stderr.text.includes(WARNING), `${command.join(" ")}: ${cli.stderr.text}`);
  }
});

Deno.test("list and status show what the service found in its config.yaml", async () => {
  await using cli = await createFakeCli();
  cli.runtime.configWarnings = [{ ...unknownKey("workspce"), hint: 'did you mean "workspace"?' }];
  for (const command of [["list"], ["status"]]) {
    cli.stderr.text = "";
    assert.equal(await cli.run(...command), 0);
    assert.ok(cli.stderr.text.includes(WARNING), `${command.join(" ")}: ${cli.stderr.text}`);
  }
});

Deno.test("--quiet and --json leave the warnings about config.yaml out", async () => {
  for (const command of [["info", "-q"], ["info", "--json"], ["list", "-q"], ["start", "-q"]]) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.configWarnings = [unknownKey("workspce")];
    assert.equal(await cli.run(...command), 0);
    assert.equal(cli.stderr.text, "", command.join(" "));
  }
});

Deno.test("config.yaml is not read for its warnings where a service runs", async () => {
  await using cli = await createFakeCli();
  cli.app.configWarnings = () => Promise.reject(new TypeError("nobody needs it"));
  cli.runtime.addAgent(fakeAgent("daily"));
  for (const command of [["list"], ["pending"], ["run", "daily", "-d"]]) {
    assert.equal(await cli.run(...command), 0, cli.stderr.text);
  }
});

Deno.test("of many warnings about config.yaml the first few are shown, and how many more there are", async () => {
  await using cli = await createFakeCli();
  cli.configWarnings = ["a", "b", "c", "d", "e"].map((key) => unknownKey(key));
  assert.equal(await cli.run("info"), 0);
  const lines = cli.stderr.text.trimEnd().split("\n");
  assert.equal(lines.length, 4);
  assert.match(lines[2] ?? "", /Unknown key c/);
  assert.equal(lines[3], "Warning: and 2 more in config.yaml: inkling validate");
});
