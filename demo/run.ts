// The first run: the real service and command line, with an agent that needs no key, in a temporary workspace that is
// removed afterwards.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourceCommand } from "../cli/self_command.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const FILES = ["agents/reporter.md", "notes.md"];

/** Runs one `inkling` command in the demo's workspace, on this terminal; returns its exit code. */
async function inkling(
  place: { root: string; workspace: string },
  args: string[],
): Promise<number> {
  console.log(`\n$ inkling ${args.join(" ")}`);
  const [program, ...rest] = sourceCommand();
  const { code } = await new Deno.Command(program ?? Deno.execPath(), {
    args: [...rest, ...args, "--workspace", place.workspace],
    env: {
      INKLING_CONFIG_DIR: join(place.root, "config"),
      INKLING_STATE_DIR: join(place.root, "state"),
    },
    stdin: "null",
  }).spawn().status;
  return code;
}

async function copyWorkspace(workspace: string): Promise<void> {
  await Deno.mkdir(join(workspace, "agents"), { recursive: true });
  for (const file of FILES) {
    await Deno.writeTextFile(
      join(workspace, file),
      await Deno.readTextFile(join(HERE, "workspace", file)),
    );
  }
}

async function demo(): Promise<number> {
  const root = await Deno.makeTempDir({ prefix: "inkling-demo-" });
  const place = { root, workspace: join(root, "workspace") };
  try {
    await copyWorkspace(place.workspace);
    console.log(
      "An agent is one Markdown file. This one is agents/reporter.md:\n",
    );
    console.log(await Deno.readTextFile(join(place.workspace, FILES[0] ?? "")));
    let code = await inkling(place, ["start", "--daemon"]);
    if (code === 0) {
      code = await inkling(place, ["run", "reporter"]);
      code ||= await inkling(place, ["list"]);
      code ||= await inkling(place, ["logs", "reporter"]);
      const stopped = await inkling(place, ["stop"]);
      code ||= stopped;
    }
    if (code !== 0) return code;
    console.log("\nreport.md, as the agent wrote it:\n");
    console.log(await Deno.readTextFile(join(place.workspace, "report.md")));
    console.log(NEXT);
    return 0;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const NEXT = `This was a real run with a scripted model. To use a real one:

  1. mkdir -p ~/inkling/agents/_config
  2. Put your key into ~/inkling/agents/_config/.env, for example   OPENAI_API_KEY=...
  3. Write ~/inkling/agents/reporter.md like the one above, with   model: { provider: openai, name: gpt-5 }
     (a model on this machine needs no key:                        model: { provider: ollama, name: qwen3 })
  4. deno task inkling validate reporter
     deno task inkling run reporter`;

Deno.exit(await demo());
