// Tests that commands load no heavy package: those packages are replaced by modules that throw.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { REPOSITORY } from "../support/repository.ts";
import { createRealHome, finish } from "./real_process.ts";

const HEAVY = [
  "@clack/prompts",
  "@pydantic/genai-prices",
  "hono",
  "zod",
  "yaml",
  "marked",
];

/** Runs command lines one after the other in one process, and prints the exit code of each. */
const PROBE = `import { openApp } from "${REPOSITORY}/app/app.ts";
import { runCli } from "${REPOSITORY}/cli/mod.ts";
const app = await openApp({ version: "1.2.3" });
for (const line of JSON.parse(Deno.args[0] ?? "")) {
  console.log(\`[\${await runCli(line, app)}]\`);
}
Deno.exit();
`;

Deno.test("--help, status, list, logs and completion load no heavy package while a service runs", async () => {
  await using home = await createRealHome();
  await home.writeScript("hi", [{ say: "hello" }]);
  await home.startService();

  const poison = join(home.root, "poison.ts");
  await Deno.writeTextFile(poison, 'throw new Error("loaded too early: " + import.meta.url);\n');
  const { imports } = JSON.parse(await Deno.readTextFile(join(REPOSITORY, "deno.json")));
  for (const name of HEAVY) {
    assert.ok(name in imports, `${name} is no dependency`);
    imports[name] = `file://${poison}`;
  }
  const config = join(home.root, "deno.json");
  await Deno.writeTextFile(config, JSON.stringify({ imports }));
  const probe = join(home.root, "probe.ts");
  await Deno.writeTextFile(probe, PROBE);
  const lines = [["--help"], ["status"], ["list"], ["logs", "hi"]];
  const complete = ["complete", "zsh", "--", "run", ""];
  // `validate` needs a heavy package, so its failure shows that the packages are replaced.
  const args = JSON.stringify([...lines, complete, ["validate"]]);
  // Without a lock file, Deno would ask the registry for the versions of the packages.
  const flags = [
    "--no-lock",
    "--cached-only",
    "--no-check",
    "--config",
    config,
    ...PERMISSION_FLAGS,
  ];
  const { stdout, stderr } = await finish(
    new Deno.Command(Deno.execPath(), {
      args: ["run", ...flags, probe, args],
      env: { ...home.shell, NO_COLOR: "1" },
      stdin: "null",
    }),
  );
  const codes = [...stdout.matchAll(/^\[(\d+)\]$/gm)].map(([, code]) => code);
  assert.deepEqual(codes.slice(0, -1), Array(5).fill("0"), stderr);
  assert.notEqual(codes.at(-1), "0");
  // Completion never fails, so the test checks its output.
  assert.match(stdout, /\]\nhi\t\n:none\n\[0\]\n/);
});
