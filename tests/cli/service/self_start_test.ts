import assert from "node:assert/strict";
import { readEnd } from "../../../cli/service/self_start.ts";
import { formatLogLine } from "../../../runtime/service_log/log_file.ts";
import type { LogLevel } from "../../../runtime/service_log/service_log.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("readEnd() reads all of a rotated file", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/log`, "fresh\n");
    assert.equal(await readEnd(`${dir}/log`, 1_000), "fresh");
  });
});

Deno.test("readEnd() omits routine log lines if there are other lines", async () => {
  await withTempDir(async (dir) => {
    const line = (level: LogLevel, message: string) =>
      formatLogLine({ at: 0, level, message, fields: {} });
    const routine = [line("debug", "Opening"), line("info", "Agents loaded")];
    const telling = [line("warn", "Unknown key"), "Error: the port 8420 is taken"];
    await Deno.writeTextFile(`${dir}/log`, [...routine, ...telling].join("\n"));
    assert.equal(await readEnd(`${dir}/log`, 0), telling.join("\n"));
    await Deno.writeTextFile(`${dir}/log`, routine.join("\n"));
    assert.equal(await readEnd(`${dir}/log`, 0), routine.join("\n"));
  });
});

Deno.test("readEnd() shows the last fifteen lines", async () => {
  await withTempDir(async (dir) => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    await Deno.writeTextFile(`${dir}/log`, lines.join("\n"));
    assert.deepEqual((await readEnd(`${dir}/log`, 0)).split("\n"), lines.slice(-15));
  });
});
