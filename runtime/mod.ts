// Opens a runtime over a workspace: creates its objects, and starts the service.
import type { Runtime } from "./interface/runtime.ts";
import { STOPS } from "./vocabulary/end_reason.ts";
import { LocalRuntime } from "./wiring/local/local_runtime.ts";
import { openParts, type OpenRuntimeOptions } from "./wiring/open_parts.ts";
import { startService } from "./wiring/service/service_start.ts";

export { loadSettings, type Surroundings, type WorkspaceSettings } from "./config/settings.ts";
export type { OpenRuntimeOptions };

/**
 * Opens a runtime and reads the agents. In the mode `service`, also resumes or ends the executions of a dead service, and
 * starts the triggers. Throws StateDirUnusable and DatabaseUnusable, and AlreadyRunning if another service owns the state
 * directory. After an error, nothing stays open.
 */
export async function openRuntime(options: OpenRuntimeOptions): Promise<Runtime> {
  await using resources = new AsyncDisposableStack();
  const parts = await openParts(options, resources);
  const { mode, runner, toolResources } = parts;
  const triggers = mode === "service" ? await startService(parts) : undefined;
  // In mode `service`, startService disposes them after the runs.
  if (mode !== "service") resources.use(toolResources);
  if (mode === "upkeep") {
    resources.use(runner);
    // A parent whose waiting child ends would continue, so its run is stopped here.
    await runner.stop({ graceMs: 0, error: STOPS.awaited_purged });
  }
  return new LocalRuntime({ ...parts, triggers, resources: resources.move() });
}
