import assert from "node:assert/strict";
import type { DiagnosticBody } from "../../api/schemas/diagnostic_schemas.ts";
import { fakeAgent } from "../support/fake_agent.ts";
import { createFakeCli } from "./fake_cli.ts";
import { picturesOf } from "./picture.ts";

function unknownKey(key: string, hint: string | null = null): DiagnosticBody {
  const message = `Unknown key ${key}: it is ignored`;
  return { path: "/c/config.yaml", line: 2, column: 1, severity: "warning", message, hint };
}

const shows = picturesOf(import.meta.url);

Deno.test("commands warn about unknown keys of config.yaml, except with -q and --json", async (t) => {
  const commands = ["info", "start", "start -d", "pending", "run daily -d"];
  for (const line of [...commands, "info -q", "info --json", "list -q", "start -q"]) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.runtime.addAgent(fakeAgent("daily"));
    cli.configWarnings = [unknownKey("workspce", 'did you mean "workspace"?')];
    await shows(t, cli, ...line.split(" "));
  }
});

Deno.test("list and status show the service's warnings about config.yaml", async (t) => {
  await using cli = await createFakeCli();
  cli.runtime.configWarnings = [{ ...unknownKey("workspce"), hint: 'did you mean "workspace"?' }];
  await shows(t, cli, "list");
  await shows(t, cli, "status");
});

Deno.test("commands do not read config.yaml for warnings while a service runs", async () => {
  await using cli = await createFakeCli();
  cli.app.configWarnings = () => Promise.reject(new TypeError("nobody needs it"));
  cli.runtime.addAgent(fakeAgent("daily"));
  for (const command of [["list"], ["pending"], ["run", "daily", "-d"]]) {
    assert.equal(await cli.run(...command), 0, cli.stderr.text);
  }
});

Deno.test("commands show the first warnings about config.yaml and the number of the others", async (t) => {
  await using cli = await createFakeCli();
  cli.configWarnings = ["a", "b", "c", "d", "e"].map((key) => unknownKey(key));
  await shows(t, cli, "info");
});
