// Checks that the README is true: its agent parses and its commands run. .ci/run runs the commands that download Deno.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createNewcomerHome } from "./docs/newcomer_home.ts";
import { REPOSITORY } from "./support/repository.ts";

const README = await Deno.readTextFile(join(REPOSITORY, "README.md"));

function blocks(language: string): string[] {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))]
    .map(([, text]) => text ?? "");
}

/** Returns the commands of the shell blocks and of the first table columns, in the order of the README. */
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

Deno.test("README: every command that needs no download succeeds", async () => {
  await using home = await createNewcomerHome();
  const folder = join(home.path, "inkling");
  const [agent = ""] = blocks("markdown");
  // Only the model is replaced, because a test has no provider; the rest of the agent is the README's.
  const scripted = agent.replace(/^model: .*$/m, "model: { provider: demo, name: report }");
  assert.notEqual(scripted, agent);
  await Deno.mkdir(join(folder, "agents"), { recursive: true });
  await Deno.writeTextFile(join(folder, "agents/reporter.md"), scripted);
  await Deno.writeTextFile(join(folder, "notes.md"), "# Notes\n\nIt rained.\n");

  const all = commands().filter((command) => !needsNetwork(command));
  assert.ok(all.length >= 8, all.join("\n"));
  // `curl` needs a running service: a command of the table starts and stops the service.
  const isStop = (command: string) => command === "inkling stop";
  const inOrder = [
    ...all.filter((one) => !one.startsWith("curl") && !isStop(one)),
    ...all.filter((one) => one.startsWith("curl")),
    ...all.filter(isStop),
  ];
  for (const command of inOrder) {
    const isOfSources = command.startsWith("deno ");
    const { code, output } = await home.run(command, isOfSources ? REPOSITORY : home.path);
    assert.equal(code, 0, `${command}\n${output}`);
  }
  assert.match(await Deno.readTextFile(join(home.path, "out.md")), /report\.md/);
});
