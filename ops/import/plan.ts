// Plans an import: resolves the names in the read files against the workspace and against each other. Reads and writes
// nothing.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { join } from "../../base/plain_path.ts";
import { parseMcpEntries } from "../../runtime/vocabulary/tool_vocabulary.ts";
import { parseServers } from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import { escapeVariables } from "./reading/body_text.ts";
import { shorten, toId } from "./reading/draft.ts";
import type {
  AgentState,
  ImportPlan,
  PlannedAgent,
  PlanOptions,
  ReadFile,
  SourceFacts,
  WorkspaceFacts,
} from "./import_plan.ts";
import { findModel } from "./model_names.ts";
import { addReferences } from "./references.ts";
import { groupPermissions, scriptsOf } from "./permissions.ts";
import type { ImportedAgent } from "./reading/shape.ts";
import { countCrowded, spreadSchedules } from "./spread.ts";

const NO_CHOICE = ["inherit", "default", "auto", "best"];

/** Plans the import of these files. */
export function planImport(
  files: readonly ReadFile[],
  source: SourceFacts,
  facts: WorkspaceFacts,
  options: PlanOptions = {},
): ImportPlan {
  const planner = new Planner(files, { source, facts, options });
  const agents = planner.plan().filter(({ key }) => options.kept?.has(key) !== true);
  const crowded = countCrowded(agents);
  if (options.spread) spreadSchedules(agents);
  const known = { servers: planner.servers, skills: source.skills, facts };
  return { agents, permissions: groupPermissions(agents, known), crowded };
}

interface Around {
  source: SourceFacts;
  facts: WorkspaceFacts;
  options: PlanOptions;
}

interface Keyed {
  key: string;
  id: string;
  file: ReadFile;
  agent: ImportedAgent;
}

class Planner {
  readonly #around: Around;
  readonly #agents: Keyed[];
  /** The entries of MCP servers in the source. */
  readonly servers: JsonObject;

  constructor(files: readonly ReadFile[], around: Around) {
    this.#around = around;
    const taken = new Set<string>();
    this.#agents = files.flatMap((file) =>
      file.agents.map((agent, index) => {
        const key = `${file.path}#${index}`;
        const wished = around.options.ids?.get(key) ?? this.#ownId(file.path) ?? agent.id;
        const id = freeId(wished, taken);
        taken.add(id);
        return { key, id, file, agent };
      })
    );
    this.servers = Object.assign(
      {},
      around.source.servers,
      ...this.#agents.map(({ agent }) => agent.servers),
    );
  }

  /** Returns the id of an agent whose file is in the agents folder already, although it is a file of another tool. */
  #ownId(path: string): string | undefined {
    const { facts, source } = this.#around;
    const whole = join(source.origin, path);
    return [...facts.agents].find(([, existing]) => existing.path === whole)?.[0];
  }

  plan(): PlannedAgent[] {
    const agents = this.#agents.map((one) => this.#planAgent(one));
    const { team } = this.#around.options;
    const members = agents.filter(({ isCommand, settings }) =>
      !isCommand && settings["enabled"] !== false
    );
    return team === undefined || members.length === 0
      ? agents
      : [...agents, this.#teamOf(team, members)];
  }

  #planAgent({ key, id, file, agent }: Keyed): PlannedAgent {
    const { source } = this.#around;
    const settings = { ...agent.settings };
    const changes = [...agent.changes];
    const losses = [...agent.losses];
    const grants = [...agent.grants];
    const planned = { settings, changes, losses, grants };
    this.#takeModel(agent.wants.models, planned);
    this.#takeAgents(agent.wants.agents, id, planned);
    this.#takeSkills(agent.wants.skills, planned);
    this.#takeServers(agent.wants.mcp, planned);
    if (agent.wants.search) this.#takeSearch(planned);
    const { trigger } = settings;
    if (isJsonObject(trigger) && trigger["type"] !== "manual") {
      settings["enabled"] = false;
      changes.push({ what: "it starts by itself", becomes: "enabled: false, until you enable it" });
    }
    this.#takePlaces(planned);
    const { text, added, missing, tooLong } = addReferences(agent.body, {
      from: file.path,
      texts: source.texts,
      context: source.repository === undefined && source.origin.startsWith("/")
        ? []
        : file.context.filter((path) => source.texts.has(path)).slice(0, 1),
    });
    for (const path of added) changes.push({ what: path, becomes: "its text is added at the end" });
    losses.push(
      ...missing.map((what) => ({ what, why: "the source has no such file" })),
      ...tooLong.map((what) => ({ what, why: "it is too long to become part of the text" })),
    );
    const body = escapeVariables(text) || "Do the task of the message.";
    const { path, shape, digest } = file;
    const { isCommand, replaces } = agent;
    return {
      key,
      id,
      path,
      shape,
      digest,
      isCommand,
      body,
      ...planned,
      state: this.#stateOf(id, file),
      ...(replaces !== undefined && { replaces }),
    };
  }

  #stateOf(id: string, { path, digest }: Pick<ReadFile, "path" | "digest">): AgentState {
    const { facts, source } = this.#around;
    const existing = facts.agents.get(id);
    if (existing === undefined) return "new";
    if (this.#ownId(path) === id) return "own";
    const { mark } = existing;
    if (mark === undefined || mark.origin !== source.origin || mark.path !== path) return "taken";
    if (mark.source === digest) return "same";
    return existing.isEdited ? "edited" : "update";
  }

  #takeModel(names: readonly string[], { settings, changes, losses }: Parts): void {
    const { facts, options } = this.#around;
    const what = `model: ${names.map(shorten).join(", ")}`;
    if (options.model !== undefined) {
      settings["model"] = options.model;
      changes.push({
        what: names.length === 0 ? "no model" : what,
        becomes: `model: ${options.model}`,
      });
      return;
    }
    if (names.length === 0 || names.some((name) => NO_CHOICE.includes(name.toLowerCase()))) return;
    const found = names.flatMap((name) => findModel(name) ?? []);
    const usable = found.find(({ provider }) => facts.isUsable(provider));
    if (usable !== undefined) {
      const { provider, name } = usable;
      settings["model"] = { provider, name };
      changes.push({ what, becomes: `model: ${provider}/${name}` });
      return;
    }
    const [first] = found;
    const why = first === undefined
      ? "no provider of this model is known"
      : `there is no key of ${first.provider} here`;
    const rest = facts.defaultModel === undefined
      ? "and there is no default model: --model names one"
      : `the default ${facts.defaultModel} is used`;
    losses.push({ what, why: `${why}; ${rest}` });
  }

  #takeAgents(names: readonly string[], own: string, { settings, changes, losses }: Parts): void {
    if (names.length === 0) return;
    // A disabled agent cannot be called.
    const others = this.#agents.filter(({ agent, id }) =>
      !agent.isCommand && agent.settings["trigger"] === undefined && id !== own
    );
    const called = new Set<string>();
    for (const name of names) {
      if (name === "*") others.forEach(({ id }) => called.add(id));
      else {
        const id = others.find(({ agent }) => agent.id === toId(name))?.id ?? toId(name);
        const isThere = others.some((one) => one.id === id) || this.#around.facts.agents.has(id);
        if (isThere && id !== own) called.add(id);
        else {
          const what = `the agent ${shorten(name)}`;
          losses.push({ what, why: "there is no such agent to call" });
        }
      }
    }
    if (called.size === 0) return;
    settings["agents"] = [...called];
    changes.push({ what: "calls of other agents", becomes: `agents: [${[...called].join(", ")}]` });
  }

  #takeSkills(names: readonly string[], { settings, losses, grants }: Parts): void {
    const { facts, source } = this.#around;
    const own: string[] = [];
    for (const name of new Set(names)) {
      const scripts = source.skills.get(name);
      if ((scripts?.length ?? 0) > 0) grants.push(scriptsOf(name));
      else if (scripts !== undefined || facts.skills.has(name)) own.push(name);
      else losses.push({ what: `the skill ${shorten(name)}`, why: "there is no such skill" });
    }
    if (own.length > 0) settings["skills"] = own;
  }

  #takeServers(entries: readonly string[], { grants, losses }: Parts): void {
    const { facts } = this.#around;
    const { mcp, mcpTools = {} } = parseMcpEntries(entries);
    for (const server of mcp) {
      const entry = this.servers[server];
      const problem = facts.servers.has(server)
        ? undefined
        : entry === undefined
        ? "there is no such server here: inkling mcp add adds one"
        : problemOf(server, entry);
      if (problem !== undefined) {
        losses.push({ what: `the MCP server ${shorten(server)}`, why: problem });
        continue;
      }
      const tools = mcpTools[server];
      const value = tools === undefined ? [server] : tools.map((tool) => `${server}/${tool}`);
      grants.push({ setting: "mcp", value, why: "its tools come from this MCP server" });
    }
  }

  #takeSearch({ settings, losses }: Parts): void {
    if (!this.#around.facts.hasSearch) {
      losses.push({ what: "searches on the web", why: "config.yaml names no search service" });
      return;
    }
    const tools = settings["tools"];
    settings["tools"] = [...(Array.isArray(tools) ? tools : []), "web_search"];
  }

  /** Gives the agent the repository of its file as a path. */
  #takePlaces({ settings, grants }: Parts): void {
    const { source: { repository }, facts } = this.#around;
    if (repository === undefined || settings["paths"] !== undefined) return;
    const value = { repository };
    if (facts.isInside(repository)) settings["paths"] = value;
    else grants.push({ setting: "paths", value, why: "it worked in the repository of its file" });
  }

  #teamOf(id: string, members: readonly PlannedAgent[]): PlannedAgent {
    const ids = members.map((one) => one.id);
    const list = members.map((one) => `- ${one.id}: ${String(one.settings["description"] ?? "")}`);
    const digest = "";
    const path = "";
    return {
      key: "team",
      id: freeId(id, new Set(ids)),
      path,
      digest,
      shape: "an agent that calls the others",
      isCommand: true,
      state: this.#stateOf(id, { path, digest }),
      settings: { description: "Gives each task to the agent that fits", agents: ids },
      body:
        `Give the task to the agent that fits it best, with everything that it needs to know. ` +
        `Combine the answers of several agents if necessary.\n\n${list.join("\n")}`,
      changes: [{ what: "Task", becomes: `agents: [${ids.join(", ")}]` }],
      losses: [],
      grants: [],
    };
  }
}

type Parts = Pick<PlannedAgent, "settings" | "changes" | "losses" | "grants">;

function problemOf(name: string, entry: JsonValue): string | undefined {
  const parsed = parseServers(JSON.stringify({ [name]: entry }), ".mcp.json");
  if ("problem" in parsed) return parsed.problem;
  const server = parsed.servers.get(name);
  return server !== undefined && "problem" in server ? server.problem : undefined;
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  let id = wanted;
  for (let count = 2; taken.has(id); count++) id = `${wanted}-${count}`;
  return id;
}
