// Groups the permissions that imported agents want, so that one answer decides about equal ones.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { parseMcpEntries } from "../../runtime/vocabulary/tool_vocabulary.ts";
import { showField } from "./reading/draft.ts";
import { type Grant, type GrantKind, GRANTS } from "./reading/shape.ts";

/** A permission that one or several agents want. One answer decides about all of them. */
export interface Permission {
  key: string;
  kind: GrantKind;
  /** The setting as it is written, such as `shell: true`. */
  label: string;
  why: string;
  agents: string[];
  /** The new entry of mcp-servers.json. */
  server?: { name: string; entry: JsonObject };
  /** The name of the skill that is added. */
  skill?: string;
}

/** The permission of agents with a skill to run its scripts. */
export function scriptsOf(skill: string): Grant {
  return {
    setting: "skills",
    value: [skill],
    why: "the skill contains scripts that agents can run",
  };
}

/** Returns the permissions of these agents, in the order in which the agents name them. */
export function groupPermissions(
  agents: readonly { id: string; grants: readonly Grant[] }[],
  { servers, skills, facts }: {
    servers: JsonObject;
    skills: ReadonlyMap<string, readonly string[]>;
    facts: { servers: ReadonlySet<string> };
  },
): Permission[] {
  const found = new Map<string, Permission>();
  // A skill without an agent that uses it is added, too.
  for (const [skill, scripts] of skills) {
    if (scripts.length === 0) continue;
    const grant = scriptsOf(skill);
    const label = `the skill ${skill}, which can run ${scripts.join(", ")}`;
    found.set(keyOf(grant), {
      ...{ key: keyOf(grant), kind: "scripts", label, why: grant.why, agents: [], skill },
    });
  }
  for (const { id, grants } of agents) {
    for (const { setting, value, why } of grants) {
      const key = keyOf({ setting, value });
      const server = setting === "mcp" ? serverOf(value) : undefined;
      const entry = server === undefined || facts.servers.has(server) ? undefined : servers[server];
      const permission = found.get(key) ?? {
        key,
        kind: kindOf(setting),
        label: server === undefined ? showField(setting, value) : `mcp: [${server}]`,
        why,
        agents: [],
        ...(server !== undefined && isJsonObject(entry) && { server: { name: server, entry } }),
      };
      permission.agents.push(id);
      found.set(key, permission);
    }
  }
  return [...found.values()];
}

/** Returns the key of the permission that a grant belongs to. The tools of one MCP server are one permission. */
export function keyOf({ setting, value }: Pick<Grant, "setting" | "value">): string {
  return `${setting} ${setting === "mcp" ? serverOf(value) : JSON.stringify(value)}`;
}

function serverOf(value: JsonValue): string {
  const entries = (Array.isArray(value) ? value : []).filter((one) => typeof one === "string");
  return parseMcpEntries(entries).mcp[0] ?? "";
}

function kindOf(setting: Grant["setting"]): GrantKind {
  const kinds = Object.keys(GRANTS) as GrantKind[];
  const kind = kinds.find((one) => (GRANTS[one] as readonly string[]).includes(setting));
  if (kind === undefined) throw new TypeError(`No permission contains ${setting}`);
  return kind;
}
