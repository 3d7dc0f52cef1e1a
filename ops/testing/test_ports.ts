// The objects that the tests of one workspace share: the settings, the agents as in their files, and the tools'
// declarations. Opening them starts no process and does not change the workspace's state.
import { lazyModule } from "../../base/lazy_module.ts";
import type { Context } from "../../runtime/config/context.ts";
import type { RunPorts } from "../../runtime/executions/loop/run_ports.ts";
import { SILENT } from "../../runtime/replay/played_ports.ts";
import type { AgentRegistry } from "../../runtime/agents/registry.ts";
import { openAgents } from "../../runtime/wiring/open_agents.ts";
import { openToolCatalog } from "../../runtime/wiring/tool_catalog.ts";

const loadAnswerFormat = lazyModule(() => import("../../runtime/wiring/answer_format.ts"));

/** The shared objects. The play of a scripted case has a clock of its own. Must be disposed. */
export interface TestPorts
  extends Pick<Context, "settings" | "clock" | "redactor">, AsyncDisposable {
  registry: AgentRegistry;
  run: Pick<
    RunPorts,
    | "settings"
    | "findAgent"
    | "isProviderKey"
    | "keyRedactor"
    | "openFormat"
    | "openTools"
    | "redactor"
  >;
}

/** Opens the shared objects and loads the agents. */
export async function openTestPorts(
  settings: Context["settings"],
  { clock, version }: Pick<Context, "clock"> & { version: string },
): Promise<TestPorts> {
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
      openTools: (agent, options) => catalog.openTools(agent, options),
      redactor,
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
