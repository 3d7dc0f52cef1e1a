// Finds the Deno permissions that an agent needs according to its file.
import { type Agent, type ModelSettings, secretVariables } from "../agents/agent.ts";
import { readWatchPaths } from "../agents/watch_path.ts";
import { modelChain } from "../config/providers.ts";
import type { Directories } from "../config/directories.ts";
import type { Environment } from "../config/files/environment.ts";
import { hostAndPort, modelEndpoint, modelHost } from "../models/endpoint.ts";
import { ModelError } from "../models/model.ts";
import { ProviderKeys } from "../models/provider_keys.ts";
import { INHERITED_VARIABLES, resolveServer } from "../tools/mcp/servers_file/resolve_server.ts";
import { serverFolder } from "../tools/mcp/server_folder.ts";
import { ServersFile } from "../tools/mcp/servers_file/servers_file.ts";
import { hasToolFile } from "../tools/custom/tool_files.ts";
import { WEB_SEARCH } from "../vocabulary/tool_vocabulary.ts";
import type { PermissionNeed } from "./permission_need.ts";
import { basename, dirname, extname, join } from "node:path";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { isWithin } from "../tools/files/place.ts";
import { isScriptName } from "../tools/skills/script_names.ts";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A permission that an agent needs, and the reason. */
export interface AgentNeed extends PermissionNeed {
  /** The field of the agent's file that requires the permission. `text` is the body below the front matter. */
  field:
    | "model"
    | "paths"
    | "trigger"
    | "mcp"
    | "custom_tools"
    | "skills"
    | "shell"
    | "output"
    | "text";
}

/** All permissions that an agent needs, and the limitations that remain with them. */
export interface AgentNeeds {
  needs: AgentNeed[];
  /** The limitations that remain, one sentence each. */
  remarks: string[];
}

/** The settings and folders that an agent's file is read with. */
export interface AgentSurroundings {
  directories: Pick<
    Directories,
    | "workspace"
    | "agentsDir"
    | "skillsDir"
    | "toolsDir"
    | "stateDir"
    | "mcpServersFile"
    | "proxySocketFile"
  >;
  environment: Environment;
  /** The user's home directory. */
  home: string;
}

/**
 * Returns the permissions that an agent's file requires. Broken parts of the file require none, because validation reports
 * them.
 */
export async function agentNeeds(
  agent: Agent,
  surroundings: AgentSurroundings,
): Promise<AgentNeeds> {
  const places = placesOf(agent, surroundings);
  const needs = [
    ...modelChain(agent.model).flatMap((model) => modelNeeds(agent, model)),
    ...triggerNeeds(agent),
    ...places.needs,
    ...await serverNeeds(agent, surroundings),
    ...await programNeeds(agent, surroundings),
    ...shellNeeds(agent, surroundings),
    ...textNeeds(agent),
  ];
  return {
    // Names with a star are left out: Deno would allow every name, which no agent file asks for.
    needs: needs.filter(({ kind, value }) => !/^(net|env)$/.test(kind) || !value.includes("*")),
    remarks: places.remarks,
  };
}

function modelNeeds({ id }: Agent, model: ModelSettings): AgentNeed[] {
  try {
    const host = modelHost(model);
    const { keyVariable } = modelEndpoint(model);
    const need = { field: "model" as const, why: `the model of ${id}` };
    return [
      ...(host === null ? [] : [{ ...need, kind: "net" as const, value: host }]),
      ...(keyVariable === null ? [] : [{ ...need, kind: "env" as const, value: keyVariable }]),
    ];
  } catch (error) {
    if (error instanceof ModelError) return [];
    throw error;
  }
}

function triggerNeeds({ id, trigger }: Agent): AgentNeed[] {
  const why = `the ${trigger.type === "change" ? "checks" : "webhook"} of ${id}`;
  const need = { field: "trigger" as const, kind: "env" as const, why };
  const variables = secretVariables(trigger).map((value) => ({ ...need, value }));
  if (trigger.type !== "change" || trigger.url === undefined) return variables;
  return [...variables, { ...need, kind: "net", value: new URL(trigger.url).host }];
}

function placesOf(agent: Agent, { directories, home }: AgentSurroundings): AgentNeeds {
  const declared = agent.paths.map(({ alias, path }) => {
    const use = { access: "write" as const, why: `{${alias}} of ${agent.id}`, home };
    return { field: "paths" as const, ...placeNeeds(path, use) };
  });
  const bases = (agent.trigger.type === "watch" ? agent.trigger.paths : [])
    .flatMap((written) => readWatchPaths(written, { directories, home }).map(({ base }) => base));
  const watched = [...new Set(bases)].map((base) => {
    const use = { access: "read" as const, why: `watched by ${agent.id}`, home };
    return { field: "trigger" as const, ...placeNeeds(base, use) };
  });
  const places = [...declared, ...watched];
  return {
    needs: places.flatMap(({ field, needs }) => needs.map((need) => ({ ...need, field }))),
    remarks: [
      ...places.flatMap(({ remarks }) => remarks),
      ...(agent.editorPaths ?? []).map(({ alias }) =>
        `{${alias}} of ${agent.id} is the folder of an editor, for which no permission is given: ` +
        "name a folder around your projects in paths, too"
      ),
    ],
  };
}

async function serverNeeds(agent: Agent, surroundings: AgentSurroundings): Promise<AgentNeed[]> {
  if (agent.mcp.length === 0) return [];
  const { directories, environment } = surroundings;
  const content = await new ServersFile(directories.mcpServersFile).read();
  if ("problem" in content) return [];
  return agent.mcp.flatMap((name): AgentNeed[] => {
    const server = content.servers.get(name);
    if (server === undefined || "problem" in server) return [];
    const need = { field: "mcp" as const, why: `the MCP server ${name} of ${agent.id}` };
    const named = new Set<string>();
    const resolved = resolveServer(server, {
      lookup: (variable) => {
        named.add(variable);
        return environment.get(variable);
      },
      workspace: directories.workspace,
      ownFolder: serverFolder(directories.stateDir, name),
    });
    const variables = [...named].filter((one) => !INHERITED_VARIABLES.includes(one))
      .map((value) => ({ ...need, kind: "env" as const, value }));
    const programs = server.kind === "program"
      ? [{ ...need, kind: "run" as const, value: "" }]
      : [];
    if ("problem" in resolved) return [...variables, ...programs];
    const { definition } = resolved;
    const hosts = definition.kind === "endpoint"
      ? [definition.url, definition.oauth?.issuer].flatMap((address) =>
        address === undefined ? [] : [hostAndPort(new URL(address))]
      )
      : proxyNeeds(definition.sandbox?.net ?? [], directories);
    const reached = hosts.map((value) => ({ ...need, kind: "net" as const, value }));
    // The folders of a sandboxed program are searched for key files before the program starts.
    const folders = definition.kind === "program" ? definition.sandbox : null;
    const read = [...folders?.read ?? [], ...folders?.write ?? []]
      .map((value) => ({ ...need, kind: "read" as const, value }));
    return [...variables, ...programs, ...reached, ...read];
  });
}

/** Returns the permissions for the network of a sandboxed program: its hosts, and the socket of the proxy. */
function proxyNeeds(
  hosts: readonly string[],
  { proxySocketFile }: Pick<Directories, "proxySocketFile">,
): string[] {
  return hosts.length === 0 || hosts.includes("*") ? [] : [`unix:${proxySocketFile}`, ...hosts];
}

async function programNeeds(
  { id, customTools, skills, output }: Agent,
  { directories }: AgentSurroundings,
): Promise<AgentNeed[]> {
  const run = { kind: "run" as const, value: "" };
  const needs: AgentNeed[] = [];
  const isSearch = customTools.join() === WEB_SEARCH &&
    !await hasToolFile(WEB_SEARCH, directories.toolsDir);
  if (customTools.length > 0 && !isSearch) {
    needs.push({ ...run, field: "custom_tools", why: `the custom tools of ${id}` });
  }
  if (output !== undefined) {
    needs.push({ ...run, field: "output", why: `the check of the answers of ${id}` });
  }
  for (const skill of skills) {
    if (!await hasScripts(directories.skillsDir, skill)) continue;
    needs.push({ ...run, field: "skills", why: `the scripts of the skill ${skill} of ${id}` });
  }
  return needs;
}

function shellNeeds({ id, shell }: Agent, { directories }: AgentSurroundings): AgentNeed[] {
  if (shell === undefined) return [];
  const need = { field: "shell" as const, why: `the shell of ${id}` };
  return [
    { ...need, kind: "run", value: "" },
    ...proxyNeeds(shell.net, directories).map((value) => ({
      ...need,
      kind: "net" as const,
      value,
    })),
    ...shell.env.map((value) => ({ ...need, kind: "env" as const, value })),
  ];
}

function textNeeds(agent: Agent): AgentNeed[] {
  const agents = [agent];
  const keys = new ProviderKeys(() => agents);
  return variablesIn(agent.body).filter((name) => !keys.has(name))
    .map((value) => ({ kind: "env", value, why: `the text of ${agent.id}`, field: "text" }));
}

function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].flatMap(([, name]) => name ?? []))];
}

/** The use of a path: the access, the purpose and the surroundings. */
interface PlaceUse {
  access: "read" | "write";
  why: string;
  /** The user's home directory. It is never allowed as a whole only because one file in it is used. */
  home: string;
}

/** The permissions that the use of a path needs. */
interface PlaceNeeds {
  needs: PermissionNeed[];
  /** The limitations that remain, one sentence each. */
  remarks: string[];
}

/**
 * Returns the permissions to read, or to read and write, a path with everything below it. For a file, the folder is
 * allowed, too: a replacement of the file is written there, and the folder reports changes.
 */
function placeNeeds(path: string, use: PlaceUse): PlaceNeeds {
  const real = knownRealPath(path);
  const needs = [path, ...(real === path ? [] : [real])].flatMap((one) => allow(one, use));
  if (!isFile(real)) {
    const remark = `${path} (${use.why}) is allowed with all that is in it, your home included: ` +
      "name narrower paths";
    return { needs, remarks: isWithin(use.home, real) ? [remark] : [] };
  }
  const folder = dirname(real);
  if (isWithin(use.home, folder)) {
    const remark =
      `${path} (${use.why}) can be read, but not be written or watched, because it lies directly in ` +
      `${folder}, which would be allowed as a whole: move it into a folder of its own`;
    return { needs, remarks: [remark] };
  }
  const why = `${use.why}: the folder of ${basename(path)}`;
  return { needs: [...needs, ...allow(folder, { ...use, why })], remarks: [] };
}

function allow(path: string, { access, why }: PlaceUse): PermissionNeed[] {
  const read = { kind: "read" as const, value: path, why };
  return access === "read" ? [read] : [read, { ...read, kind: "write" }];
}

/** Returns true for a file. A missing path counts as a file if its name has an extension. */
function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return false;
    return extname(path) !== "";
  }
}

/**
 * Returns true if the skill's folder contains a script. Returns false for an unreadable skill, which validation reports.
 */
export async function hasScripts(skillsDir: string, skill: string): Promise<boolean> {
  const folder = join(skillsDir, skill);
  return await holdsScript(folder) || await holdsScript(join(folder, "scripts"), { below: true });
}

async function holdsScript(folder: string, { below = false } = {}): Promise<boolean> {
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (!isDirectory && isScriptName(name)) return true;
      if (isDirectory && below && await holdsScript(join(folder, name), { below })) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    if (error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}
