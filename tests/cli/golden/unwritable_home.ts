// A fake home with the same paths on every machine, for the screens of commands that write files.
import { AgentAuthor } from "../../../ops/authoring/agent_author.ts";
import { loadSettings } from "../../../runtime/config/settings.ts";
import { Installation, type SetupResult } from "../../../ops/setup/installation.ts";
import type { WrittenFile } from "../../../ops/setup/installation_files.ts";
import type { FakeCli } from "../fake_cli.ts";

const HOME = "/home/me";
const WORKSPACE = `${HOME}/inkling`;
const AGENTS_DIR = `${WORKSPACE}/agents`;

/** The simulated state of the home. */
interface Pretence {
  /** The change of config.yaml that the command reports. */
  change?: WrittenFile["change"];
  /** The agent file that the model writes; undefined: no model is configured. */
  draft?: string;
}

/** Makes `setup` and `new` work without writing files. */
export async function useUnwritableHome(
  cli: FakeCli,
  { change = "created", draft }: Pretence = {},
): Promise<AsyncDisposable> {
  const { clock } = cli;
  const shell = {};
  const settings = await loadSettings({ shell, home: HOME });

  class UnwritableInstallation extends Installation {
    override write(): Promise<SetupResult> {
      return Promise.resolve({
        workspace: WORKSPACE,
        agentsDir: AGENTS_DIR,
        files: [
          { path: `${AGENTS_DIR}/_config/.env`, change },
          { path: `${HOME}/.config/inkling/config.yaml`, change },
        ],
        sampleAgentId: change === "created" ? "hello" : undefined,
        formerWorkspace: undefined,
      });
    }
  }

  class UnwritableAuthor extends AgentAuthor {
    override drafter(): string | undefined {
      return draft && "openai/gpt-5";
    }

    override draft(): Promise<{ text: string } | { failure: string }> {
      return Promise.resolve(draft === undefined ? { failure: "there is none" } : { text: draft });
    }

    override save(id: string): ReturnType<AgentAuthor["save"]> {
      const start = {
        enabled: true,
        trigger: { type: "manual" as const },
        after: [],
        nextRun: null,
      };
      return Promise.resolve({ path: `${AGENTS_DIR}/${id}.md`, problems: [], start });
    }
  }

  cli.app.openInstallation = () =>
    Promise.resolve(new UnwritableInstallation({ shell, home: HOME, cwd: HOME, clock }));
  cli.app.openAgentAuthor = () => Promise.resolve(new UnwritableAuthor({ settings, clock }));
  return { [Symbol.asyncDispose]: () => Promise.resolve() };
}
