// Finds the Deno permissions that an agent needs according to its file.
import { type Agent, type ModelSettings, secretVariables } from "../agents/agent.ts";
import { readWatchPaths } from "../agents/watch_path.ts";
import { modelChain } from "../config/providers.ts";
import type { Directories } from "../config/directories.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { hostAndPort, ifUsable, modelEndpoint, modelHost } from "../models/endpoint.ts";
import { ProviderKeys } from "../models/provider_keys.ts";
import { INHERITED_VARIABLES, resolveServer } from "../tools/mcp/servers_file/resolve_server.ts";
import { ServersFile } from "../tools/mcp/servers_file/servers_file.ts";
import { hasToolFile } from "../tools/custom/tool_files.ts";
import { WEB_SEARCH } from "../vocabulary/tool_vocabulary.ts";
import { needsOf, type PermissionNeed } from "./permission_need.ts";
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
export type AgentSurroundings = Pick<WorkspaceSettings, "directories" | "home" | "environment">;

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

/** Returns the permissions that a field of an agent's file requires for these values. */
function needsFor(field: AgentNeed["field"], ...need: Parameters<typeof needsOf>): AgentNeed[] {
  return needsOf(...need).map((one) => ({ ...one, field }));
}

function modelNeeds({ id }: Agent, model: ModelSettings): AgentNeed[] {
  const values = ifUsable(() => ({
    net: [modelHost(model)],
    env: [modelEndpoint(model).keyVariable],
  }));
  return values === undefined ? [] : needsFor("model", `the model of ${id}`, values);
}

function triggerNeeds({ id, trigger }: Agent): AgentNeed[] {
  const why = `the ${trigger.type === "change" ? "checks" : "webhook"} of ${id}`;
  const url = trigger.type === "change" ? trigger.url : undefined;
  const hosts = url === undefined ? [] : [new URL(url).host];
  return needsFor("trigger", why, { env: secretVariables(trigger), net: hosts });
}

function placesOf(agent: Agent, { directories, home }: AgentSurroundings): AgentNeeds {
  const declared = agent.paths.map(({ alias, path }) => {
    const use = { access: "write" as const, why: `{${alias}} of ${agent.id}`, home };
    return placeNeeds("paths", path, use);
  });
  const bases = (agent.trigger.type === "watch" ? agent.trigger.paths : [])
    .flatMap((written) => readWatchPaths(written, { directories, home }).map(({ base }) => base));
  const watched = [...new Set(bases)].map((base) => {
    const use = { access: "read" as const, why: `watched by ${agent.id}`, home };
    return placeNeeds("trigger", base, use);
  });
  const places = [...declared, ...watched];
  return {
    needs: places.flatMap(({ needs }) => needs),
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
    const why = `the MCP server ${name} of ${agent.id}`;
    const named = new Set<string>();
    const resolved = resolveServer(name, server, {
      directories,
      environment: {
        get(variable) {
          named.add(variable);
          return environment.get(variable);
        },
      },
    });
    const env = [...named].filter((one) => !INHERITED_VARIABLES.includes(one));
    const run = server.kind === "program" ? [""] : [];
    if ("problem" in resolved) return needsFor("mcp", why, { env, run });
    if (resolved.kind === "endpoint") {
      const { url, oauth } = resolved;
      const net = [url, oauth?.issuer].map((one) => one && hostAndPort(new URL(one)));
      return needsFor("mcp", why, { env, run, net });
    }
    const { read = [], write = [], net = [] } = resolved.sandbox ?? {};
    return needsFor("mcp", why, {
      ...{ env, run, net: proxyNeeds(net, directories) },
      // The folders of a sandboxed program are searched for key files before the program starts.
      read: [...read, ...write],
    });
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
  const run = [""];
  const isSearch = customTools.join() === WEB_SEARCH &&
    !await hasToolFile(WEB_SEARCH, directories.toolsDir);
  const needs = [
    ...needsFor("custom_tools", `the custom tools of ${id}`, {
      run: customTools.length > 0 && !isSearch ? run : [],
    }),
    ...needsFor("output", `the check of the answers of ${id}`, {
      run: output === undefined ? [] : run,
    }),
  ];
  for (const skill of skills) {
    if (!await hasScripts(directories.skillsDir, skill)) continue;
    needs.push(...needsFor("skills", `the scripts of the skill ${skill} of ${id}`, { run }));
  }
  return needs;
}

function shellNeeds({ id, shell }: Agent, { directories }: AgentSurroundings): AgentNeed[] {
  if (shell === undefined) return [];
  const net = proxyNeeds(shell.net, directories);
  return needsFor("shell", `the shell of ${id}`, { run: [""], net, env: shell.env });
}

function textNeeds(agent: Agent): AgentNeed[] {
  const keys = new ProviderKeys(() => [agent]);
  const env = variablesIn(agent.body).filter((name) => !keys.has(name));
  return needsFor("text", `the text of ${agent.id}`, { env });
}

function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].flatMap(([, name]) => name ?? []))];
}

/**
 * Returns the permissions to read, or to read and write, a path with everything below it. For a file, the folder is
 * allowed, too: a replacement of the file is written there, and the folder reports changes. `home` is the user's home
 * directory, which is never allowed as a whole only because one file in it is used.
 */
function placeNeeds(
  field: AgentNeed["field"],
  path: string,
  { access, why, home }: { access: "read" | "write"; why: string; home: string },
): AgentNeeds {
  const allow = (purpose: string, paths: string[]) =>
    needsFor(field, purpose, { read: paths, write: access === "write" ? paths : [] });
  const real = knownRealPath(path);
  const needs = allow(why, [...new Set([path, real])]);
  if (!isFile(real)) {
    const remark = `${path} (${why}) is allowed with all that is in it, your home included: ` +
      "name narrower paths";
    return { needs, remarks: isWithin(home, real) ? [remark] : [] };
  }
  const folder = dirname(real);
  if (isWithin(home, folder)) {
    const remark =
      `${path} (${why}) can be read, but not be written or watched, because it lies directly in ` +
      `${folder}, which would be allowed as a whole: move it into a folder of its own`;
    return { needs, remarks: [remark] };
  }
  const around = allow(`${why}: the folder of ${basename(path)}`, [folder]);
  return { needs: [...needs, ...around], remarks: [] };
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
