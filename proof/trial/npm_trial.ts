// Tries the npm package as a new user would: packs it, installs the tarball with an empty home and an empty cache, and runs
// an agent.
import { basename, join } from "node:path";
import { killService } from "../../tests/e2e/real_process.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { runReleaseTask } from "../../tests/release/task_run.ts";
import { step } from "./step.ts";

/**
 * Matches the environment variables that npm and Deno need to reach the registry. The user's other settings are removed.
 */
const NETWORK =
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|DENO_(CERT|TLS_CA_STORE)|https?_proxy|no_proxy)$/i;

/** Packs, installs and uses the package. Rejects if a step fails. */
export async function tryNpmPackage(): Promise<void> {
  await using home = await createTestWorkspace();
  const packed = await step("packed", async () => {
    const run = await runReleaseTask("package", ["--folder", home.root]);
    if (run.code !== 0) throw new Error(run.stderr);
    return run.stdout.trim();
  });
  const { size } = await Deno.stat(packed);
  console.log(`${basename(packed)}: ${(size / 1e6).toFixed(1)} MB`);

  const folder = join(home.root, "empty");
  await Deno.mkdir(folder);
  const env = {
    ...Object.fromEntries(
      Object.entries(Deno.env.toObject()).filter(([name]) => NETWORK.test(name)),
    ),
    ...home.shell,
    PATH: `${join(folder, "node_modules/.bin")}:${Deno.env.get("PATH")}`,
    HOME: home.root,
    NO_COLOR: "1",
  };
  const run = async (program: string, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args,
      cwd: folder,
      env,
      clearEnv: true,
      stdin: "null",
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    if (code === 0) return out ?? "";
    throw new Error(`${[program, ...args].join(" ")} ended with ${code}:\n${out}${err}`);
  };
  // Kills the trial's service when the trial ends or fails.
  await using _service = { [Symbol.asyncDispose]: () => killService(home.stateDir) };
  await step("installed", () => run("npm", "install", "--no-audit", "--no-fund", packed));
  await home.writeAgent(
    "reporter",
    "---\nmodel: { provider: demo, name: report }\nauto_approve: [file_write]\n---\n\n" +
      "Read `notes.md` and write a short report on it to `report.md`.\n",
  );
  await Deno.writeTextFile(join(home.workspace, "notes.md"), "# Notes\n\nIt rained.\n");
  await step("first start", () => run("inkling", "--version"));
  await step("first run of an agent", () => run("inkling", "run", "reporter"));
  await step("second run", () => run("inkling", "run", "reporter"));
  await step("stopped", () => run("inkling", "stop"));
  const report = await Deno.readTextFile(join(home.workspace, "report.md"));
  if (!report.includes("Sections: Notes")) {
    throw new Error(`The report says nothing of the notes:\n${report}`);
  }
  console.log("The agent has read its notes and written its report");
}
