// Tests of `inkling doctor` as a process under scoped flags, with and without a service.
import assert from "node:assert/strict";
import { join } from "node:path";
import { IS_POSTGRES } from "../support/test_database.ts";
import { createRealHome, killService } from "./real_process.ts";

Deno.test("doctor --fix removes the files of a killed service", async () => {
  await using home = await createRealHome();
  await home.configure("notify: { channels: { phone: { type: ntfy, topic: t } } }\n");
  await home.writeScript(
    "hourly",
    [{ say: "Done." }],
    'trigger: { type: schedule, every: 1h }\nauto_approve: "*"',
  );
  await home.startService();
  await killService(home.stateDir);
  // A killed node counts as alive for a moment, so the test makes its last report old.
  if (IS_POSTGRES) await home.run("UPDATE instances SET last_seen = 0");
  const ill = await home.inkling("doctor");
  assert.equal(ill.code, 1);
  assert.match(ill.stdout, /^✖ service: The service is not running, but hourly has a trigger/m);
  for (const name of ["service.sock", "inkling.pid"]) {
    assert.match(
      ill.stdout,
      new RegExp(`^! ${name}: A killed service left this file.*\n    rm `, "m"),
    );
    await Deno.lstat(join(home.stateDir, name));
  }
  assert.match(ill.stdout, /1 error, 2 warnings\. "inkling doctor --fix" fixes 2 of them\n$/);

  const mended = await home.inkling("doctor", "--fix", "--json");
  assert.equal(mended.code, 1);
  const { findings } = JSON.parse(mended.stdout);
  assert.equal(findings.filter((one: { fixed: string | null }) => one.fixed !== null).length, 2);
  await assert.rejects(Deno.lstat(join(home.stateDir, "service.sock")), Deno.errors.NotFound);
});

Deno.test("doctor under narrow flags lists the refused checks and runs the others", async () => {
  await using home = await createRealHome();
  await home.writeScript("reader", [{ say: "Done." }], "mcp: [notes]");
  await Deno.mkdir(join(home.agentsDir, "_config"));
  const servers = { notes: { command: "sh", args: ["-c", "exit 3"] } };
  await Deno.writeTextFile(
    join(home.agentsDir, "_config/mcp-servers.json"),
    JSON.stringify(servers),
  );
  const { stdout, stderr } = await home.inkling("doctor");
  assert.match(stdout, /^\d+ checks/m, stderr);
  if (!stdout.includes("MCP server notes: ")) {
    assert.match(
      stderr.replaceAll("\n", " "),
      /Not checked: Inkling was started without --allow-write/,
    );
  }
});
