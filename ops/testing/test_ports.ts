// The objects that the tests of one workspace share: the settings, the agents as in their files, and the tools'
// declarations. Opening them starts no process and does not change the workspace's state.
import type { Clock } from "../../base/clock.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import type { RunPorts } from "../../runtime/executions/loop/run_ports.ts";
import type { Redactor } from "../../runtime/secrets/redactor.ts";
import { SILENT } from "../../runtime/replay/played_ports.ts";
import type { AgentRegistry } from "../../runtime/agents/registry.ts";
import { openAgents } from "../../runtime/wiring/open_agents.ts";
import { openToolCatalog } from "../../runtime/wiring/tool_catalog.ts";

const loadAnswerFormat = lazyModule(() => import("../../runtime/wiring/answer_format.ts"));

/** The objects that the play of a case needs. */
export interface TestPorts {
  settings: WorkspaceSettings;
  /** The machine's clock. The play of a scripted case has a clock of its own. */
  clock: Clock;
  redactor: Redactor;
  openTools: RunPorts["openTools"];
  run: Pick<
    RunPorts,
    "settings" | "findAgent" | "isProviderKey" | "keyRedactor" | "openFormat" | "redactor"
  >;
}

/** The shared objects with their open resources. Must be disposed. */
export interface OpenedTestPorts extends TestPorts, AsyncDisposable {
  registry: AgentRegistry;
}

/** Opens the shared objects and loads the agents. */
export async function openTestPorts(
  settings: WorkspaceSettings,
  { clock, version }: { clock: Clock; version: string },
): Promise<OpenedTestPorts> {
  const opened = new AsyncDisposableStack();
  const agents = await openAgents({ settings, clock, log: SILENT });
  opened.use(agents.folders);
  const { registry, redactor, keyRedactor, isProviderKey } = agents;
  const catalog = await openToolCatalog({
    settings,
    registry,
    clock,
    log: SILENT,
    version,
    executable: Deno.execPath(),
    ownPorts: () => [],
    tokenSecrets: agents.tokenSecrets,
    isFirstWarning: () => Promise.resolve(false),
    resources: opened,
  });
  return {
    settings,
    clock,
    redactor,
    registry,
    openTools: (agent, options) => catalog.openTools(agent, options),
    run: {
      settings,
      findAgent: (id) => registry.get(id),
      isProviderKey,
      keyRedactor,
      async openFormat({ output }) {
        if (output === undefined) return undefined;
        const { openAnswerFormat } = await loadAnswerFormat();
        return await openAnswerFormat(output, { settings, clock, executable: Deno.execPath() });
      },
      redactor,
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
