// Plans an import: resolves the names in the read files against the workspace and against each other. Reads and writes
// nothing.
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../base/json.ts";
import { join } from "../../base/plain_path.ts";
import { parseMcpEntries, requestedTools } from "../../runtime/vocabulary/tool_vocabulary.ts";
import { parseServers } from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import { escapeVariables } from "./reading/body_text.ts";
import { Draft, shorten, toId, toTexts } from "./reading/draft.ts";
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
import { addGrant, groupPermissions, scriptsOf } from "./permissions.ts";
import { GRANTS } from "./reading/shape.ts";
import { countCrowded, spreadSchedules } from "./spread.ts";

const NO_CHOICE = /^(?:inherit|default|auto|best)$/i;

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
  const { servers } = planner;
  const around = { servers, skills: source.skills, known: facts.servers };
  return { agents, permissions: groupPermissions(agents, around), crowded };
}

/** An agent with its id in the file, and the files with instructions that its tool adds. */
type Candidate = PlannedAgent & { wanted: string; context: readonly string[] };

interface Around {
  source: SourceFacts;
  facts: WorkspaceFacts;
  options: PlanOptions;
}

class Planner {
  readonly #around: Around;
  readonly #agents: Candidate[];
  /** The entries of MCP servers in the source. */
  readonly servers: JsonObject;

  constructor(files: readonly ReadFile[], around: Around) {
    this.#around = around;
    const { source, options } = around;
    const ids = new Set<string>();
    const keys = new Set<string>();
    this.#agents = files.flatMap(({ path, name: shape, digest, context, agents }) =>
      agents.map((agent) => {
        const isAlone = agents.length === 1;
        const key = addFree(isAlone ? path : `${path}#${agent.id}`, keys);
        const id = addFree(options.ids?.get(key) ?? this.#knownId(key) ?? agent.id, ids);
        const file = { key, path, shape, digest, context, state: "new" as const };
        return { ...structuredClone(agent), ...file, id, wanted: agent.id };
      })
    );
    const own = this.#agents.map(({ servers }) => servers);
    this.servers = Object.fromEntries([source.servers, ...own].flatMap(Object.entries));
  }

  /** Returns the id of the agent that was imported from this file before, or whose file in the agents folder this is. */
  #knownId(key: string): string | undefined {
    const { origin } = this.#around.source;
    const found = [...this.#around.facts.agents].filter(([, { path, mark }]) =>
      path === join(origin, key) || mark?.origin === origin && mark.path === key
    );
    return (found.find(([, { isEdited }]) => !isEdited) ?? found[0])?.[0];
  }

  plan(): PlannedAgent[] {
    for (const agent of this.#agents) {
      this.#resolve(agent);
      agent.state = this.#stateOf(agent);
    }
    const { team } = this.#around.options;
    const members = this.#agents.filter(({ isCommand, settings }) =>
      !isCommand && settings["enabled"] !== false
    );
    return team === undefined || members.length === 0
      ? this.#agents
      : [...this.#agents, this.#teamOf(team, members)];
  }

  #resolve(agent: Candidate): void {
    const { settings, changes, losses, wants, context, path: from } = agent;
    const { origin, repository, texts } = this.#around.source;
    this.#takeModel(agent);
    this.#takeAgents(agent);
    this.#takeSkills(agent);
    this.#takeServers(agent);
    if (wants.search && this.#around.facts.hasSearch) {
      settings["tools"] = [...toTexts(settings["tools"]), "web_search"];
    } else if (wants.search) {
      losses.push({ what: "searches on the web", why: "config.yaml names no search service" });
    }
    const { trigger } = settings;
    if (isJsonObject(trigger) && trigger["type"] !== "manual") {
      settings["enabled"] = false;
      changes.push({ what: "it starts by itself", becomes: "enabled: false, until you enable it" });
    }
    this.#takePlaces(agent);
    const isAlone = repository === undefined && origin.startsWith("/");
    const { text, added, missing, tooLong } = addReferences(agent.body, {
      from,
      texts,
      context: isAlone ? [] : context.filter((path) => texts.has(path)).slice(0, 1),
    });
    for (const path of added) changes.push({ what: path, becomes: "its text is added at the end" });
    for (const what of missing) losses.push({ what, why: "the source has no such file" });
    const why = "it is too long to become part of the text";
    for (const what of tooLong) losses.push({ what, why });
    agent.body = escapeVariables(text) || "Do the task of the message.";
  }

  /** Returns the state of the agent's file. Keeps the permissions that the file has of an unchanged source. */
  #stateOf(agent: PlannedAgent): AgentState {
    const { id, key, path, digest, settings } = agent;
    const existing = this.#around.facts.agents.get(id);
    if (existing === undefined) return "new";
    const { mark, isEdited, settings: written } = existing;
    if (existing.path === join(this.#around.source.origin, path)) return "own";
    if (mark === undefined || mark.origin !== this.#around.source.origin || mark.path !== key) {
      return "taken";
    }
    if (mark.source === digest) {
      agent.grants = agent.grants.filter((grant) => {
        const before = written[grant.setting];
        if (JSON.stringify(addGrant(before, grant)) !== JSON.stringify(before)) return true;
        settings[grant.setting] = addGrant(settings[grant.setting], grant);
        return false;
      });
      const { allow = [] } = this.#around.options;
      if (!agent.grants.some(({ setting }) => allow.includes(GRANTS[setting]))) return "same";
    }
    return isEdited ? "edited" : "update";
  }

  #takeModel({ settings, changes, losses, wants: { models } }: PlannedAgent): void {
    const { model } = this.#around.options;
    const { defaultModel } = this.#around.facts;
    const what = models.length === 0 ? "no model" : `model: ${models.map(shorten).join(", ")}`;
    const take = (value: JsonValue, becomes: string) => {
      settings["model"] = value;
      changes.push({ what, becomes: `model: ${becomes}` });
    };
    if (model !== undefined) return take(model, model);
    if (models.length === 0 || models.some((name) => NO_CHOICE.test(name))) return;
    const found = models.flatMap((name) => findModel(name) ?? []);
    const usable = found.find(({ provider }) => this.#around.facts.isUsable(provider));
    if (usable !== undefined) return take({ ...usable }, `${usable.provider}/${usable.name}`);
    const why = found[0] === undefined
      ? "no provider of this model is known"
      : `there is no key of ${found[0].provider} here`;
    const rest = defaultModel === undefined
      ? "and there is no default model: --model names one"
      : `the default ${defaultModel} is used`;
    losses.push({ what, why: `${why}; ${rest}` });
  }

  #takeAgents({ id: own, settings, changes, losses, wants }: PlannedAgent): void {
    // A disabled agent cannot be called.
    const others = this.#agents.filter(({ isCommand, settings, id }) =>
      !isCommand && settings["trigger"] === undefined && id !== own
    );
    const called = new Set<string>();
    for (const name of wants.agents) {
      const id = others.find(({ wanted }) => wanted === toId(name))?.id ?? toId(name);
      const isThere = others.some((one) => one.id === id) || this.#around.facts.agents.has(id);
      if (name === "*") others.forEach((one) => called.add(one.id));
      else if (isThere && id !== own) called.add(id);
      else {
        const what = `the agent ${shorten(name)}`;
        losses.push({ what, why: "there is no such agent to call" });
      }
    }
    if (called.size === 0) return;
    settings["agents"] = [...called];
    changes.push({ what: "calls of other agents", becomes: `agents: [${[...called].join(", ")}]` });
  }

  #takeSkills({ settings, losses, grants, wants }: PlannedAgent): void {
    const own: string[] = [];
    for (const name of new Set(wants.skills)) {
      const scripts = this.#around.source.skills.get(name);
      if ((scripts?.length ?? 0) > 0) grants.push(scriptsOf(name));
      else if (scripts !== undefined || this.#around.facts.skills.has(name)) own.push(name);
      else losses.push({ what: `the skill ${shorten(name)}`, why: "there is no such skill" });
    }
    if (own.length > 0) settings["skills"] = own;
  }

  #takeServers({ grants, losses, wants }: PlannedAgent): void {
    const requested = parseMcpEntries(wants.mcp);
    for (const server of requested.mcp) {
      const problem = this.#around.facts.servers.has(server) ? undefined : this.#problemOf(server);
      if (problem !== undefined) {
        losses.push({ what: `the MCP server ${shorten(server)}`, why: problem });
        continue;
      }
      const value = requestedTools(requested, server)?.map((tool) => `${server}/${tool}`) ??
        [server];
      grants.push({ setting: "mcp", value, why: "its tools come from this MCP server" });
    }
  }

  /** Returns the reason why a server of the source cannot be added, or undefined. */
  #problemOf(name: string): string | undefined {
    const entry = ownValue(this.servers, name);
    if (entry === undefined) return "there is no such server here: inkling mcp add adds one";
    const parsed = parseServers(JSON.stringify({ [name]: entry }), ".mcp.json");
    const server = "problem" in parsed ? parsed : parsed.servers.get(name);
    return server !== undefined && "problem" in server ? server.problem : undefined;
  }

  /** Gives the agent the repository of its file as a path. */
  #takePlaces({ settings, grants }: PlannedAgent): void {
    const { repository } = this.#around.source;
    if (repository === undefined || settings["paths"] !== undefined) return;
    const value = { repository };
    if (this.#around.facts.isInside(repository)) settings["paths"] = value;
    else grants.push({ setting: "paths", value, why: "it worked in the repository of its file" });
  }

  #teamOf(id: string, members: readonly PlannedAgent[]): PlannedAgent {
    const ids = members.map((one) => one.id);
    const draft = new Draft(addFree(id, new Set(ids)));
    draft.isCommand = true;
    draft.settings["description"] = "Gives each task to the agent that fits";
    draft.set("agents", ids, "Task");
    const list = members.map((one) => `- ${one.id}: ${String(one.settings["description"] ?? "")}`);
    const body =
      "Give the task to the agent that fits it best, with everything that it needs to know. " +
      `Combine the answers of several agents if necessary.\n\n${list.join("\n")}`;
    const shape = "an agent that calls the others";
    const file = { key: "team", path: "", digest: "", shape, state: "new" as const };
    return { ...draft.finish(body), ...file };
  }
}

/** Adds a text to a set, with a number if the set has it already. Returns the added text. */
function addFree(wanted: string, taken: Set<string>): string {
  let free = wanted;
  for (let count = 2; taken.has(free); count++) free = `${wanted}-${count}`;
  taken.add(free);
  return free;
}
