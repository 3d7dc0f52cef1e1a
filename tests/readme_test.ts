// Checks that the README is true: its agent parses and its commands run. .ci/run runs the commands that download Deno.
import assert from "node:assert/strict";
import { join } from "node:path";
import denoJson from "../deno.json" with { type: "json" };
import { kindOf, kindsInGuides } from "./docs/guide_commands.ts";
import { createNewcomerHome } from "./docs/newcomer_home.ts";
import { REPOSITORY } from "./support/repository.ts";

const README = await Deno.readTextFile(join(REPOSITORY, "README.md"));
/** The pages that continue the README: the overview of the commands, and the request to the service's socket. */
const CLI = await Deno.readTextFile(join(REPOSITORY, "docs/reference/cli.md"));
const HTTP_API = await Deno.readTextFile(join(REPOSITORY, "docs/http-api.md"));
/** The README has fewer words than this. Marks of Markdown between spaces count as words, as in `wc -w`. */
const MOST_WORDS = 600;

function blocks(language: string, text = README): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))]
    .map(([, block]) => block ?? "");
}

/** Returns the commands of a document's shell blocks. */
function commandsOfBlocks(text: string): string[] {
  return blocks("sh", text).flatMap((block) => block.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim()).filter((line) => line !== "");
}

/** Returns the commands of the overview's first column. */
function commandsOfOverview(): string[] {
  return [...CLI.matchAll(/^\| `(inkling [^`]+)` *\|/gm)].map(([, command]) => command ?? "");
}

const needsNetwork = (command: string) => /^(npx|npm) /.test(command);

Deno.test("README: the commands that run the demo and its tests come first", () => {
  const [first = ""] = blocks("sh");
  assert.ok(README.startsWith("# Inkling\n\n```sh\n"));
  assert.match(first, /^npx -y deno@\S+ task demo\b.*\nnpx -y deno@\S+ task test\b/);
});

Deno.test("README: it has fewer than 600 words", () => {
  const words = README.trim().split(/\s+/).length;
  assert.ok(words < MOST_WORDS, `${words} words`);
});

Deno.test("README: every link and picture leads to a file, and every named task exists", () => {
  const links = README.matchAll(/\]\(([^)#]+)|(?:src|srcset)="([^"]+)"/g);
  const files = [...links].map(([, link, picture]) => link ?? picture ?? "");
  assert.ok(files.length >= 8, files.join());
  for (const file of files) assert.ok(Deno.statSync(join(REPOSITORY, file)).isFile, file);
  const tasks = [...README.matchAll(/deno(?:@\S+)? task ([\w:]+)/g)].map(([, task = ""]) => task);
  assert.deepEqual(tasks.filter((task) => !(task in denoJson.tasks)), []);
});

Deno.test("README and overview: every command that needs no download succeeds", async () => {
  await using home = await createNewcomerHome();
  const folder = join(home.path, "inkling");
  const [agent = ""] = blocks("markdown");
  // Only the model is replaced, because a test has no provider; the rest of the agent is the README's.
  const scripted = agent.replace(/^model: .*$/m, "model: { provider: demo, name: report }");
  assert.notEqual(scripted, agent);
  const succeed = async (command: string) => {
    const isOfSources = command.startsWith("deno ");
    const { code, output } = await home.run(command, isOfSources ? REPOSITORY : home.path);
    assert.equal(code, 0, `${command}\n${output}`);
  };
  const first = commandsOfBlocks(README).filter((command) => !needsNetwork(command));
  assert.ok(first.includes("inkling run hello"), first.join("\n"));
  for (const command of first) await succeed(command);
  // Stops the service that the run started, because a command of the overview starts it.
  await succeed("inkling stop");

  // Saves the README's agent and an input file in the workspace, as a reader does.
  await Deno.writeTextFile(join(folder, "agents/reporter.md"), scripted);
  await Deno.writeTextFile(join(folder, "notes.md"), "# Notes\n\nIt rained.\n");
  const overview = commandsOfOverview();
  assert.ok(overview.length >= 20, overview.join("\n"));
  // The test of the guides runs most kinds of commands.
  const kinds = kindsInGuides();
  const others = overview.filter((command) => !kinds.has(kindOf(command)));
  assert.ok(others.length >= 5 && others.length < overview.length, others.join("\n"));
  // The command that stops the service runs last, because `curl` needs the service.
  const isStop = (command: string) => command === "inkling stop";
  const [curl = ""] = commandsOfBlocks(HTTP_API);
  assert.match(curl, /^curl /);
  for (
    const command of [
      "inkling start -d",
      ...others.filter((one) => !isStop(one)),
      curl,
      "inkling stop",
    ]
  ) {
    await succeed(command);
  }
  assert.match(await Deno.readTextFile(join(home.path, "out.md")), /report\.md/);
});
