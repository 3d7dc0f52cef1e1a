// Groups the permissions that imported agents want, so that one answer decides about equal ones.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { parseMcpEntries } from "../../runtime/vocabulary/tool_vocabulary.ts";
import { showField, toTexts } from "./reading/draft.ts";
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
  const why = "the skill contains scripts that agents can run";
  return { setting: "skills", value: [skill], why };
}

/** Returns the permissions of these agents, in the order in which the agents name them. */
export function groupPermissions(
  agents: readonly { id: string; grants: readonly Grant[] }[],
  { servers, skills, known }: {
    servers: JsonObject;
    skills: ReadonlyMap<string, readonly string[]>;
    /** The servers of the workspace. */
    known: ReadonlySet<string>;
  },
): Permission[] {
  const found = new Map<string, Permission>();
  const toPermission = ({ setting, value, why }: Grant): Permission => {
    const one = { key: keyOf({ setting, value }), kind: GRANTS[setting], why, agents: [] };
    if (setting === "skills") {
      const [skill = ""] = toTexts(value);
      const label = `the skill ${skill}, which can run ${skills.get(skill)?.join(", ")}`;
      return { ...one, label, skill };
    }
    if (setting !== "mcp") return { ...one, label: showField(setting, value) };
    const name = serverOf(value);
    const entry = known.has(name) ? undefined : servers[name];
    const label = `mcp: [${name}]`;
    return { ...one, label, ...(isJsonObject(entry) && { server: { name, entry } }) };
  };
  // A skill without an agent that uses it is added, too.
  const withScripts = [...skills].filter(([, scripts]) => scripts.length > 0);
  const added = { id: undefined, grants: withScripts.map(([skill]) => scriptsOf(skill)) };
  for (const { id, grants } of [added, ...agents]) {
    for (const grant of grants) {
      const permission = found.get(keyOf(grant)) ?? toPermission(grant);
      if (id !== undefined) permission.agents.push(id);
      found.set(permission.key, permission);
    }
  }
  return [...found.values()];
}

/** Returns the key of the permission that a grant belongs to. The tools of one MCP server are one permission. */
export function keyOf({ setting, value }: Pick<Grant, "setting" | "value">): string {
  return `${setting} ${setting === "mcp" ? serverOf(value) : JSON.stringify(value)}`;
}

function serverOf(value: JsonValue): string {
  return parseMcpEntries(toTexts(value)).mcp[0] ?? "";
}

/** Returns the value of a setting together with a grant. */
export function addGrant(
  before: JsonValue | undefined,
  { value }: Pick<Grant, "value">,
): JsonValue {
  if (Array.isArray(before) && Array.isArray(value)) return [...new Set([...before, ...value])];
  return isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value;
}
