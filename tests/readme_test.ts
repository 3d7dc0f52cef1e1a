// The README is true: its agent parses and its commands run. Commands that download Deno first run in .ci/run.
import assert from "node:assert/strict";
import { join } from "node:path";
import { sourceCommand } from "../cli/self_command.ts";
import { killService } from "./e2e/real_process.ts";
import { denoDirectory, REPOSITORY } from "./support/repository.ts";

const README = await Deno.readTextFile(join(REPOSITORY, "README.md"));

function blocks(language: string): string[] {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))]
    .map(([, text]) => text ?? "");
}

/** Commands of shell blocks and of the first column of tables, in their order. */
function commands(): string[] {
  const fromBlocks = blocks("sh").flatMap((text) => text.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim()).filter((line) => line !== "");
  const fromTables = [...README.matchAll(/^\| `(inkling [^`]+)` *\|/gm)].map(([, command]) =>
    command ?? ""
  );
  return [...fromBlocks, ...fromTables];
}

const needsNetwork = (command: string) => /^(npx|npm) /.test(command);

Deno.test("README: the two commands come first", () => {
  const [first = ""] = blocks("sh");
  assert.ok(README.startsWith("# Inkling\n\n```sh\n"));
  assert.match(first, /^npx -y deno@\S+ task demo\b.*\nnpx -y deno@\S+ task test\b/);
});

Deno.test("README: every command that needs no download runs, and succeeds", async () => {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-readme-" }));
  const state = join(home, ".local/state/inkling");
  try {
    const [agent = ""] = blocks("markdown");
    // Only the model is not available here; everything else is as the README shows it.
    const scripted = agent.replace(/^model: .*$/m, "model: { provider: demo, name: report }");
    assert.notEqual(scripted, agent);
    await Deno.mkdir(join(home, "inkling/agents"), { recursive: true });
    await Deno.writeTextFile(join(home, "inkling/agents/reporter.md"), scripted);
    await Deno.writeTextFile(join(home, "inkling/notes.md"), "# Notes\n\nIt rained.\n");
    const bin = join(home, "bin");
    await Deno.mkdir(bin);
    const self = sourceCommand().map((part) => `'${part}'`).join(" ");
    await Deno.writeTextFile(join(bin, "inkling"), `#!/bin/sh\nexec ${self} "$@"\n`, {
      mode: 0o755,
    });

    const all = commands().filter((command) => !needsNetwork(command));
    assert.ok(all.length >= 8, all.join("\n"));
    // The service that curl talks to is the one that the table starts, and stops.
    const isStop = (command: string) => command === "inkling stop";
    const inOrder = [
      ...all.filter((one) => !one.startsWith("curl") && !isStop(one)),
      ...all.filter((one) => one.startsWith("curl")),
      ...all.filter(isStop),
    ];
    for (const command of inOrder) {
      const { code, stdout, stderr } = await new Deno.Command("bash", {
        args: ["-c", command],
        cwd: command.startsWith("deno ") ? REPOSITORY : home,
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
      assert.equal(code, 0, `${command}\n${text.decode(stdout)}${text.decode(stderr)}`);
    }
    assert.match(await Deno.readTextFile(join(home, "out.md")), /report\.md/);
  } finally {
    await killService(state);
    await Deno.remove(home, { recursive: true });
  }
});
