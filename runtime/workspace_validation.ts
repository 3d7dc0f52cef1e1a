// `validate` over a workspace: which files a target names, and what is wrong with each.
import { basename, join, resolve } from "node:path";
import { idOfFileName, isAgentFileName, normalizeId } from "./agents/agent_id.ts";
import { AgentRegistry } from "./agents/registry.ts";
import { validateAgent } from "./agents/validate.ts";
import { SystemClock } from "./clock.ts";
import type { WorkspaceSettings } from "./settings.ts";
import { expandHome } from "./config/places.ts";
import type { Diagnostic } from "./diagnostics.ts";
import { modelEndpoint } from "./models/endpoint.ts";
import { ModelPrices } from "./models/pricing.ts";
import { createBuiltinTools } from "./tools/toolbox.ts";

/** One agent file and what is to say about it. */
export interface ValidatedFile {
  agentId: string;
  path: string;
  diagnostics: Diagnostic[];
}

/**
 * Checks the agent with this id, the `.md` file at this path (relative to `cwd`), or every agent file of the
 * workspace. Empty when the target names nothing.
 */
export async function validateWorkspace(
  settings: WorkspaceSettings,
  target: string | undefined,
  options: { cwd: string },
): Promise<ValidatedFile[]> {
  const { config, directories, environment, home } = settings;
  const registry = new AgentRegistry({ config, directories, home });
  await registry.load();
  const knownTools = createBuiltinTools({ http: { ...config.http, ownPorts: () => [] } })
    .map(({ name }) => name);
  // Problems of the price files are part of what the service logs; here only their prices matter.
  const prices = new ModelPrices({
    files: directories.pricingFiles,
    clock: new SystemClock(),
    log: { write: () => {} },
  });
  const files: ValidatedFile[] = [];
  for (const path of await findFiles(directories.agentsDir, target, { ...options, home })) {
    const diagnostics = await validateAgent(path, {
      config,
      directories,
      home,
      environment,
      modelEndpoint,
      hasPrice: (model) => prices.hasPrice(model),
      knownTools,
      agentIds: registry.list().map(({ id }) => id),
    });
    files.push({ agentId: idOfFileName(basename(path)), path, diagnostics });
  }
  return files;
}

async function findFiles(
  agentsDir: string,
  target: string | undefined,
  options: { cwd: string; home: string },
): Promise<string[]> {
  if (target?.endsWith(".md")) {
    const path = resolve(options.cwd, expandHome(target, options.home));
    return await isFile(path) ? [path] : [];
  }
  const wanted = target === undefined ? undefined : normalizeId(target);
  return (await agentFileNames(agentsDir))
    .filter((name) => wanted === undefined || normalizeId(idOfFileName(name)) === wanted)
    .map((name) => join(agentsDir, name));
}

async function agentFileNames(agentsDir: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(agentsDir));
    return entries.filter((entry) => !entry.isDirectory && isAgentFileName(entry.name))
      .map(({ name }) => name).sort();
  } catch (error) {
    // A workspace without agents yet.
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
