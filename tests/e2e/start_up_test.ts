// Tests that commands load no heavy package: those packages are replaced by modules that throw.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { REPOSITORY } from "../support/repository.ts";
import { createRealHome } from "./real_process.ts";

const HEAVY = [
  "@clack/prompts",
  "@pydantic/genai-prices",
  "hono",
  "zod",
  "yaml",
  "marked",
];

Deno.test("--help, status and list load no heavy package while a service runs", async () => {
  await using home = await createRealHome();
  await home.writeScript("hi", [{ say: "hello" }]);
  await home.succeed("start", "--daemon");

  const poison = join(home.root, "poison.ts");
  await Deno.writeTextFile(poison, 'throw new Error("loaded too early: " + import.meta.url);\n');
  const { imports } = JSON.parse(await Deno.readTextFile(join(REPOSITORY, "deno.json")));
  for (const name of HEAVY) {
    assert.ok(name in imports, `${name} is no dependency`);
    imports[name] = `file://${poison}`;
  }
  const config = join(home.root, "deno.json");
  await Deno.writeTextFile(config, JSON.stringify({ imports }));
  const run = async (...args: string[]) => {
    const command = ["run", "--no-lock", "--no-check", "--config", config, ...PERMISSION_FLAGS];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...command, join(REPOSITORY, "main.ts"), ...args],
      env: { ...home.shell, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
  };
  for (const args of [["--help"], ["status"], ["list"], ["logs", "hi"]]) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
  }
  // Completion never fails, so the test checks its output.
  const { stdout } = await run("complete", "zsh", "--", "run", "");
  assert.equal(stdout, "hi\t\n:none\n");
  // Checks the replacement: a command that needs a heavy package fails.
  assert.notEqual((await run("validate")).code, 0);
});
