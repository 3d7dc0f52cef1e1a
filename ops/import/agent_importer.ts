// The operations behind `inkling import`: reads a source, plans the import, and writes the files after a person's yes.
import { basename, join } from "../../base/plain_path.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { formatFrontMatter } from "../../runtime/agents/agent_file_text.ts";
import { describeBadName, idOfFileName, isAgentFileName } from "../../runtime/agents/agent_id.ts";
import { listAgentFiles } from "../../runtime/agents/agent_names.ts";
import { readAgentFile } from "../../runtime/agents/agent_file.ts";
import type { Context } from "../../runtime/config/context.ts";
import { ifUsable, modelEndpoint } from "../../runtime/models/endpoint.ts";
import { isWithin } from "../../runtime/tools/files/place.ts";
import { openAgentValidation } from "../authoring/agent_validation.ts";
import { NotInstalled, refuseFileErrors } from "../install/not_installed.ts";
import { readEntries, writeEntry } from "../install/servers_file_edit.ts";
import { type PreparedSkill, SkillInstaller } from "../install/skill_installer.ts";
import { addMark, digestOf, readMark } from "./import_mark.ts";
import { type ImportSource, readSource } from "./import_source.ts";
import { readMarkdown } from "./reading/front_matter.ts";
import { addGrant, keyOf, type Permission } from "./permissions.ts";
import {
  type ExistingAgent,
  type ImportPlan,
  type PlannedAgent,
  type PlanOptions,
  type ReadFile,
  type WorkspaceFacts,
} from "./import_plan.ts";
import { planImport } from "./plan.ts";
import { readForeignFile } from "./shapes/formats.ts";
import type { Loss } from "./reading/shape.ts";

/** The fields of front matter that are written first, in this order. */
const ORDER = "name description enabled model trigger paths tools mcp skills".split(" ");

/** A read source. Dispose removes what was downloaded. */
export interface OpenedImport extends AsyncDisposable {
  files: ReadFile[];
  /** The files and the parts of files that are no agents. */
  left: Loss[];
  /** The checked skills of the source. */
  skills: PreparedSkill[];
  /** Plans the import of some of the files. */
  plan(files: readonly ReadFile[], options: PlanOptions): ImportPlan;
  /** Writes the agents and skills, with the given permissions. Returns the written files. */
  write(plan: ImportPlan, permissions: readonly Permission[]): Promise<WrittenAgent[]>;
}

/** A written agent file. */
export interface WrittenAgent {
  id: string;
  path: string;
  problems: Diagnostic[];
  /** True if the agent has a trigger that is switched off. */
  isSwitchedOff: boolean;
}

/** Imports files of other tools into one workspace. */
export class AgentImporter {
  readonly #options: Pick<Context, "settings" | "clock"> & { cwd: string };

  constructor(options: Pick<Context, "settings" | "clock"> & { cwd: string }) {
    this.#options = options;
  }

  /** The folder of the agent files. */
  get agentsDir(): string {
    return this.#options.settings.directories.agentsDir;
  }

  /**
   * Reads a source: a file, a folder, the address of a repository, or with `-` the given text. Throws NotInstalled, or
   * rethrows the signal's reason.
   */
  async open(
    source: string,
    { signal, input }: { signal: AbortSignal; input?: string },
  ): Promise<OpenedImport> {
    const { settings, clock, cwd } = this.#options;
    const { shell, home } = settings;
    return await refuseFileErrors(async () => {
      await using stack = new AsyncDisposableStack();
      const around = { shell, home, cwd, clock, signal, resources: stack };
      const opened = await readSource(source, around, input);
      const files: ReadFile[] = [];
      const left: Loss[] = [];
      for (const { path, text } of opened.files) {
        // Documents such as README.md are beside agents, and no agents themselves.
        if (path.endsWith(".md") && !isAgentFileName(basename(path))) continue;
        const file = readForeignFile(path, text);
        left.push(...file?.left ?? []);
        if (file === undefined || file.agents.length === 0) continue;
        files.push({ ...file, path, digest: await digestOf(text) });
      }
      const installer = new SkillInstaller({ settings, clock, cwd: "/" });
      const skills: PreparedSkill[] = [];
      for (const [name, path] of opened.skills) {
        try {
          skills.push(stack.use(await installer.prepare({ source: path }, signal)));
        } catch (error) {
          if (!(error instanceof NotInstalled)) throw error;
          left.push({ what: `the skill ${name}`, why: error.message });
        }
      }
      const facts = await this.#facts();
      const known = { ...opened, skills: new Map(skills.map((one) => [one.name, one.scripts])) };
      const kept = stack.move();
      return {
        files,
        left,
        skills,
        plan: (chosen, options) => planImport(chosen, known, facts, options),
        write: (plan, permissions) =>
          refuseFileErrors(() => this.#write(plan, { permissions, skills, opened })),
        [Symbol.asyncDispose]: () => kept.disposeAsync(),
      };
    }, source);
  }

  /** Returns the reason why an id cannot be used for a new agent. Undefined if it can. */
  async describeBadId(id: string): Promise<string | undefined> {
    const bad = describeBadName(id);
    if (bad !== undefined) return `The id ${JSON.stringify(id)} ${bad}`;
    return (await this.#existing()).has(id) ? `The agent "${id}" exists already` : undefined;
  }

  async #facts(): Promise<WorkspaceFacts> {
    const { config, directories, environment } = this.#options.settings;
    const { provider, model } = config.defaults;
    const servers = await readEntries(directories.mcpServersFile);
    const skills = await Array.fromAsync(Deno.readDir(directories.skillsDir))
      .catch(ignoreMissing) ?? [];
    return {
      agents: await this.#existing(),
      servers: new Set(servers.map(({ name }) => name)),
      skills: new Set(skills.map(({ name }) => name).filter((name) => !name.startsWith("."))),
      hasSearch: config.search !== null,
      defaultModel: provider && model && `${provider}/${model}`,
      isUsable(one) {
        if (one === provider) return true;
        const model = { provider: one, name: "any", streamUsage: true };
        const variable = ifUsable(() => modelEndpoint(model))?.keyVariable ?? "";
        return (environment.get(variable)?.trim() ?? "") !== "";
      },
      isInside: (path) => isWithin(path, directories.workspace),
    };
  }

  async #existing(): Promise<Map<string, ExistingAgent>> {
    const found = new Map<string, ExistingAgent>();
    const folder = await Deno.realPath(this.agentsDir).catch(ignoreMissing) ?? this.agentsDir;
    for (const name of await listAgentFiles(this.agentsDir)) {
      if (name.endsWith("/")) continue;
      const path = join(folder, name);
      const content = await readAgentFile(path);
      const isRead = content !== undefined && "bytes" in content;
      const text = isRead ? new TextDecoder().decode(content.bytes) : "";
      const { fields: settings = {} } = readMarkdown(text);
      found.set(idOfFileName(name), { path, isEdited: false, settings, ...await readMark(text) });
    }
    return found;
  }

  async #write(
    { agents }: ImportPlan,
    { permissions, skills, opened }: {
      permissions: readonly Permission[];
      skills: readonly PreparedSkill[];
      opened: ImportSource;
    },
  ): Promise<WrittenAgent[]> {
    const { directories } = this.#options.settings;
    const existing = await this.#existing();
    for (const { server } of permissions) {
      if (server !== undefined) await writeEntry({ file: directories.mcpServersFile, ...server });
    }
    const given = new Set(permissions.flatMap(({ skill }) => skill ?? []));
    for (const skill of skills) {
      if (skill.scripts.length === 0 || given.has(skill.name)) await skill.add();
    }
    await Deno.mkdir(this.agentsDir, { recursive: true });
    const files: { id: string; path: string; text: string; isSwitchedOff: boolean }[] = [];
    for (const agent of agents) {
      const { id, key, digest, settings } = agent;
      const mark = { origin: opened.origin, path: key, source: digest };
      const text = await addMark(compose(agent, permissions), mark);
      const before = existing.get(id);
      const path = before?.path ?? join(this.agentsDir, `${id}.md`);
      await writeFileAtomically(path, text, before === undefined ? { mustBeNew: true } : {});
      files.push({ id, path, text, isSwitchedOff: settings["enabled"] === false });
    }
    await using validation = await openAgentValidation(this.#options.settings);
    return await Promise.all(files.map(async ({ text, ...file }) => ({
      ...file,
      problems: await validation.validate({
        path: file.path,
        bytes: new TextEncoder().encode(text),
      }),
    })));
  }
}

/** Returns the text of an agent file with the permissions that a person gave. */
export function compose(agent: PlannedAgent, permissions: readonly Permission[]): string {
  const given = new Set(permissions.map(({ key }) => key));
  const settings = { ...agent.settings };
  for (const grant of agent.grants) {
    if (!given.has(keyOf(grant))) continue;
    settings[grant.setting] = addGrant(settings[grant.setting], grant);
  }
  const entries = [...ORDER, ...Object.keys(settings)].flatMap((key) => {
    const value = settings[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return formatFrontMatter(Object.fromEntries(entries), agent.body);
}
