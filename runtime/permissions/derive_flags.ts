// Derives the narrowest permission flags for a workspace from the needs of Inkling, of config.yaml and of every agent.
import { join } from "../../base/plain_path.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { type AgentNeeds, agentNeeds } from "./agent_needs.ts";
import { serviceNeeds, type ServiceNeedsContext } from "./service_needs.ts";
import { isWithin } from "../tools/files/place.ts";
import { type PermissionKind, type PermissionNeed, splitHost } from "./permission_need.ts";

const NO_RUN =
  "Without --allow-run no program can be started or ended: no agent needs one. Commands that start the " +
  "service in the background or end it (run, chat, respond, start -d, stop) need the flag; start does not";

/**
 * Returns the flags for a service of this workspace with its current agents. `host` replaces the address of the TCP
 * listener in config.yaml. The remarks are limitations, and files that could not be read.
 */
export async function deriveFlags(
  workspace: ServiceNeedsContext,
  options: { host?: string | undefined } = {},
): Promise<PermissionFlags> {
  const { config, directories, home } = workspace;
  const registry = new AgentRegistry({ config, directories, home });
  const { errors } = await registry.load();
  const own = serviceNeeds({ ...workspace, ...options });
  const agents: AgentNeeds[] = [];
  for (const agent of registry.list()) agents.push(await agentNeeds(agent, workspace));
  const needs = [...own, ...agents.flatMap((one) => one.needs)];
  const configured = join(directories.agentsDir, "_config");
  const closed = [...new Set([configured, knownRealPath(configured)])];
  const { flags, remarks } = toPermissionFlags(needs, { closed });
  return {
    flags,
    remarks: [
      ...agents.flatMap((one) => one.remarks),
      ...remarks,
      ...errors.map((one) => `Not checked: ${formatDiagnostic(one)}`),
      ...(needs.some(({ kind }) => kind === "run") ? [] : [NO_RUN]),
    ],
  };
}

/** A permission flag with its reason as a sentence. */
export interface PermissionFlag {
  flag: string;
  why: string;
}

/** The permission flags for a set of needs. */
export interface PermissionFlags {
  /** The flags, ordered for reading. Deno merges flags with the same name. */
  flags: PermissionFlag[];
  /** The restrictions that the flags cannot express, one sentence each. */
  remarks: string[];
}

const MOST_REASONS = 3;

const FIRST: readonly PermissionFlag[] = [
  { flag: "--no-prompt", why: "what no flag allows is refused; nobody is asked" },
  { flag: "--no-remote", why: "no code is loaded from the network" },
  { flag: "--frozen", why: "no packages but those of the lock file" },
  {
    flag: "--allow-sys",
    why:
      "the machine's name and addresses, and the umask around the socket, which Deno has no smaller flag for",
  },
  { flag: "--ignore-env", why: "variables that no flag allows read as if they were not set" },
];

/**
 * Returns the permission flags for needs. `closed` are folders below writable folders that must not be writable. No flag
 * lists programs, see RUN.
 */
export function toPermissionFlags(
  needs: readonly PermissionNeed[],
  { closed }: { closed: readonly string[] },
): PermissionFlags {
  const isListable = ({ value }: PermissionNeed) => !value.includes(",");
  const merged = mergeNeeds(needs.filter(isListable));
  const left = needs.filter((need) => !isListable(need));
  return {
    flags: [
      ...FIRST,
      ...flagsOf(merged, "read"),
      ...flagsOf(merged, "write"),
      ...closed.filter((path) => !path.includes(",")).map((path) => ({
        flag: `--deny-write=${path}`,
        why: "tools, skills, servers and keys: people change them, nothing here does",
      })),
      ...flagsOf(merged, "net"),
      ...flagsOf(merged, "env"),
      ...runFlag(merged),
    ],
    remarks: [...new Set(left.map(({ value }) => value))].map((value) =>
      `${value} is left out: a flag cannot hold a comma; give it another name`
    ),
  };
}

/**
 * Decision: no list of programs. Custom tools, .ts scripts of skills (processes of Inkling's own), .py and .sh
 * scripts and MCP programs may all start children, so each is ended as a process group. With a list, Deno lets a
 * process signal its own children only, no groups (measured with 2.9.6).
 *
 * Rejected: ending only the child, because its own children would continue; allowing the program `kill`, because it
 * could signal any process. These flags do not restrict the started programs.
 */
const RUN =
  "without a list, or Deno ends no group of processes; what is started is not bound by these flags, " +
  "but for custom tools and .ts scripts, which get narrower ones";

function runFlag(needs: ReadonlyMap<string, PermissionNeed[]>): PermissionFlag[] {
  const reasons = needs.get("run ");
  if (reasons === undefined) return [];
  return [{ flag: "--allow-run", why: `${reasonsOf(reasons)}; ${RUN}` }];
}

/** Groups needs by kind and value. */
function mergeNeeds(needs: readonly PermissionNeed[]): Map<string, PermissionNeed[]> {
  return Map.groupBy(needs, ({ kind, value }) => `${kind} ${value}`);
}

function flagsOf(
  needs: ReadonlyMap<string, PermissionNeed[]>,
  kind: Exclude<PermissionKind, "run">,
): PermissionFlag[] {
  const groups = [...needs.values()].filter(([first]) => first?.kind === kind);
  const values = groups.flatMap(([first]) => first?.value ?? []);
  const explained = groups.flatMap((group) => {
    const value = group[0]?.value ?? "";
    if (values.some((other) => other !== value && covers(kind, other, value))) return [];
    return [{ value, why: reasonsOf(group) }];
  });
  // Paths get a line each. Names with the same reason share a line, which is shorter.
  const key = kind === "read" || kind === "write" ? "value" : "why";
  return [...Map.groupBy(explained, (one) => one[key]).values()].map((same) => ({
    flag: `--allow-${kind}=${same.map(({ value }) => value).join(",")}`,
    why: same[0]?.why ?? "",
  }));
}

/** Returns true if the permission for `wide` includes the permission for `narrow`. */
function covers(kind: PermissionKind, wide: string, narrow: string): boolean {
  switch (kind) {
    case "read":
    case "write":
      return isWithin(narrow, wide);
    case "net": {
      const { hostname, port } = splitHost(narrow);
      return port !== undefined && hostname === wide;
    }
    case "env":
      return wide.endsWith("*") && narrow.startsWith(wide.slice(0, -1));
    case "run":
      return false;
    default:
      return kind satisfies never;
  }
}

function reasonsOf(needs: readonly PermissionNeed[]): string {
  const reasons = [...new Set(needs.map(({ why }) => why))];
  const more = reasons.length - MOST_REASONS;
  return reasons.slice(0, MOST_REASONS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
