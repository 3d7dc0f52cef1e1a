// The quick start is true: its commands run in order, from an empty home and without a key.
import assert from "node:assert/strict";
import { join } from "node:path";
import { sourceCommand } from "../../cli/self_command.ts";
import { killService } from "../e2e/real_process.ts";
import { denoDirectory, REPOSITORY } from "../support/repository.ts";

Deno.test("docs/quick-start.md: its commands lead from nothing to a report", async () => {
  const page = await Deno.readTextFile(join(REPOSITORY, "docs/quick-start.md"));
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = ""]) => text);
  assert.ok(blocks.length >= 3, page);
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-quick-start-" }));
  const state = join(home, ".local/state/inkling");
  try {
    const bin = join(home, "bin");
    await Deno.mkdir(bin);
    const self = sourceCommand().map((part) => `'${part}'`).join(" ");
    const program = `#!/bin/sh\nexec ${self} "$@"\n`;
    await Deno.writeTextFile(join(bin, "inkling"), program, { mode: 0o755 });
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", `set -ex\n${blocks.join("\n")}`],
      cwd: home,
      clearEnv: true,
      env: {
        HOME: home,
        PATH: `${bin}:${Deno.env.get("PATH")}:${join(Deno.execPath(), "..")}`,
        DENO_DIR: denoDirectory(),
        NO_COLOR: "1",
      },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    const output = text.decode(stdout) + text.decode(stderr);
    assert.equal(code, 0, output);
    assert.match(await Deno.readTextFile(join(home, "inkling/report.md")), /notes\.md/);
    assert.match(output, /Inkling has stopped/);
  } finally {
    await killService(state);
    await Deno.remove(home, { recursive: true });
  }
});
