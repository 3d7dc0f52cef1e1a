// The command line with a real installation in a temporary home.
import { join } from "node:path";
import { createFileSchema } from "../../ops/authoring/file_schema.ts";
import { AgentAuthor } from "../../ops/authoring/agent_author.ts";
import { Gallery } from "../../ops/authoring/gallery.ts";
import { enableAgent } from "../../ops/authoring/enable_agent.ts";
import { AgentImporter } from "../../ops/import/agent_importer.ts";
import { ServerInstaller } from "../../ops/install/server_installer.ts";
import { SkillInstaller } from "../../ops/install/skill_installer.ts";
import { Installation } from "../../ops/setup/installation.ts";
import { loadSettings } from "../../runtime/config/settings.ts";
import { describeSetup } from "../../ops/setup/setup_report.ts";
import { filesBelow } from "../support/repository.ts";
import { createFakeCli, type FakeCli } from "./fake_cli.ts";

export interface SetupWorld extends AsyncDisposable {
  cli: FakeCli;
  home: string;
  configFile: string;
  /** The path of the `.env` file in `~/inkling`. */
  envFile: string;
  agentsDir: string;
  shell: Record<string, string>;
  read(path: string): Promise<string>;
  /** Returns the relative paths of all files below the home. */
  files(): string[];
}

/** Creates a home without a setup, at a terminal unless `hasPerson` is false. */
export async function createSetupWorld(
  options: { hasPerson?: boolean; config?: string; shell?: Record<string, string> } = {},
): Promise<SetupWorld> {
  const { hasPerson = true, config } = options;
  const cli = await createFakeCli({ isRunning: false, hasPerson, isTerminal: hasPerson });
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-" }));
  const configFile = join(home, ".config", "inkling", "config.yaml");
  if (config !== undefined) {
    await Deno.mkdir(join(home, ".config", "inkling"), { recursive: true });
    await Deno.writeTextFile(configFile, config);
  }
  const agentsDir = join(home, "inkling", "agents");
  const shell = { ...options.shell };
  useHome(cli, { home, shell });
  return {
    cli,
    home,
    configFile,
    envFile: join(agentsDir, "_config", ".env"),
    agentsDir,
    shell,
    read: (path) => Deno.readTextFile(path),
    files: () => filesBelow(home).map((path) => path.slice(home.length + 1)).sort(),
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await Deno.remove(home, { recursive: true });
    },
  };
}

/** Connects a command line to this home: its config.yaml, workspace and agents. */
export function useHome(
  cli: FakeCli,
  { home, shell = {} }: { home: string; shell?: Record<string, string> },
): void {
  const { clock } = cli;
  const settings = (workspace?: string) =>
    loadSettings({ shell, home, ...(workspace !== undefined && { workspace }) });
  cli.app.openInstallation = () =>
    Promise.resolve(new Installation({ shell, home, cwd: home, clock }));
  cli.app.openAgentAuthor = async ({ workspace }) =>
    new AgentAuthor({ settings: await settings(workspace), clock });
  cli.app.fileSchema = (kind) => Promise.resolve(createFileSchema(kind));
  cli.app.openGallery = async ({ workspace }) =>
    new Gallery((await settings(workspace)).directories);
  cli.app.enableAgent = async (id, { workspace }) => enableAgent(id, await settings(workspace));
  cli.app.openAgentImporter = async ({ workspace }) =>
    new AgentImporter({ settings: await settings(workspace), clock, cwd: home });
  cli.app.openSkillInstaller = async ({ workspace }) =>
    new SkillInstaller({ settings: await settings(workspace), clock, cwd: home });
  cli.app.openServerInstaller = async ({ workspace }) =>
    new ServerInstaller({
      settings: await settings(workspace),
      clock,
      cwd: home,
      version: "0.0.0-test",
    });
  cli.app.info = async ({ workspace }) => await describeSetup(await settings(workspace));
}
