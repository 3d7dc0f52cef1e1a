// `inkling import`: shows what the files of another tool become, asks about each permission, and writes the agents.
import { defined } from "../../context/defined.ts";
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { importCommand } from "../../declarations/authoring_commands.ts";
import type { AgentImporter, OpenedImport } from "../../../ops/import/agent_importer.ts";
import type { Permission } from "../../../ops/import/permissions.ts";
import type {
  ImportPlan,
  PlannedAgent,
  PlanOptions,
  ReadFile,
} from "../../../ops/import/import_plan.ts";
import type { CommandContext } from "../../context/context.ts";
import { commandFailed, type CommandFailure, EXIT, misuse } from "../../context/exit.ts";
import {
  describePermission,
  showAgent,
  showRest,
  showWritten,
  STATES,
} from "../../import/import_report.ts";
import { formatPlural } from "../../output/figures.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import { Interview } from "../../prompting/interview.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { readAllInput } from "../../prompting/piped_input.ts";

type DialogParts = {
  context: CommandContext;
  importer: Pick<AgentImporter, "agentsDir" | "describeBadId">;
  opened: OpenedImport;
  options: CommandOptions<typeof importCommand>;
};

const INSTEAD = "Check the list above, then repeat the command with --yes";

/** Imports a source into the workspace. The exit code is 1 if a written file has errors. */
export const perform = performs<typeof importCommand>(async (context, options, { source }) => {
  const { app, output } = context;
  const importer = await app.openAgentImporter(context);
  using interrupts = listenToInterrupts(app);
  const input = source === "-" ? await readAllInput(app) : undefined;
  await using opened = await importer.open(source, defined({ signal: interrupts.first, input }));
  if (opened.files.length === 0 && opened.skills.length === 0) throw nothingFound(opened, source);
  const dialog = new ImportDialog({ context, importer, opened, options });
  const files = await dialog.chooseFiles();
  const { plan, unchanged } = await dialog.plan(files);
  if (!output.quiet) {
    for (const agent of plan.agents) showAgent(output, agent);
    showRest(output, opened, unchanged);
  }
  if (plan.agents.length === 0 && opened.skills.length === 0) {
    return output.note("There is nothing to write");
  }
  const permissions = await dialog.choosePermissions(plan.permissions);
  if (!await dialog.confirm(plan)) return output.note("Nothing was written");
  const written = await opened.write(plan, permissions);
  showWritten(output, {
    written,
    refused: plan.permissions.filter((one) => !permissions.includes(one)),
    lost: plan.agents.reduce((sum, { losses }) => sum + losses.length, 0),
    replaced: plan.agents.flatMap(({ replaces }) => replaces ?? []),
  });
  const isBroken = written.some(({ problems }) => problems.some((one) => one.severity === "error"));
  return isBroken ? EXIT.failed : EXIT.ok;
});

function nothingFound({ left }: OpenedImport, source: string): CommandFailure {
  const reasons = left.slice(0, 5).map(({ what, why }) => toOneLine(`${what}: ${why}`));
  return commandFailed(
    [`Found no agent, command or skill of another tool in ${toOneLine(source)}`, ...reasons].join(
      "\n",
    ),
  );
}

/** The questions of one import. */
class ImportDialog {
  readonly #parts: DialogParts;

  constructor(parts: DialogParts) {
    this.#parts = parts;
  }

  /** True if a person decides about each step. */
  get #asks(): boolean {
    return this.#parts.options.yes !== true && hasPerson(this.#parts.context);
  }

  get #interview(): Interview {
    return new Interview(this.#parts.context, INSTEAD);
  }

  /** Returns the files to import: those that --only or the person chooses, otherwise all. */
  async chooseFiles(): Promise<ReadFile[]> {
    const { files } = this.#parts.opened;
    const { only } = this.#parts.options;
    if (only !== undefined) return chooseIds(files, only);
    if (!this.#asks || files.length < 2) return files;
    const all = `All ${files.length}`;
    const { prompter } = this.#parts.context.app.input;
    const choice = await this.#interview.select({
      message: `${formatPlural(files.length, "file")} of other tools. Which ones?`,
      choices: [{ value: "all", label: all }, { value: "some", label: "Choose" }],
      initial: "all",
    });
    if (choice === "all") return files;
    const chosen = await prompter.multiselect({
      message: "Which files?",
      choices: files.map(({ path, name }) => (
        { value: path, label: toOneLine(path), hint: name }
      )),
    });
    return files.filter(({ path }) => chosen?.includes(path));
  }

  /** Plans the import. Asks about ids that other files have. Agents that stay as they are come separately. */
  async plan(files: readonly ReadFile[]): Promise<{ plan: ImportPlan; unchanged: PlannedAgent[] }> {
    const options = await this.#planOptions(files);
    options.spread = this.#parts.options.spread ??
      await this.#askToSpread(this.#parts.opened.plan(files, options));
    const ids = new Map<string, string>();
    const kept = new Set<string>();
    const first = this.#parts.opened.plan(files, options);
    const unchanged = first.agents.filter(({ state }) => state === "same");
    for (const agent of first.agents) {
      if (agent.state === "same") kept.add(agent.key);
      else if (agent.state === "taken" || agent.state === "edited") {
        const id = await this.#resolve(agent);
        if (id === undefined) kept.add(agent.key);
        else ids.set(agent.key, id);
      }
    }
    return { plan: this.#parts.opened.plan(files, { ...options, ids, kept }), unchanged };
  }

  async #planOptions(files: readonly ReadFile[]): Promise<PlanOptions> {
    const { model, allow = [] } = this.#parts.options;
    const team = this.#parts.options.team ?? await this.#askForTeam(files);
    if (team !== undefined) {
      const problem = await this.#parts.importer.describeBadId(team);
      if (problem !== undefined) throw misuse(problem);
    }
    return defined({ allow, model, team });
  }

  async #askToSpread({ crowded }: ImportPlan): Promise<boolean> {
    if (!this.#asks || crowded < 3) return false;
    return await this.#interview.confirm(
      `${crowded} agents start in the same minute. Spread them over the hour?`,
      { initial: false },
    );
  }

  async #askForTeam(files: readonly ReadFile[]): Promise<string | undefined> {
    const members = files.flatMap(({ agents }) => agents)
      .filter(({ isCommand, settings }) => !isCommand && settings["trigger"] === undefined);
    if (!this.#asks || members.length < 3) return undefined;
    const wants = await this.#interview.confirm(
      `Also write an agent that gives tasks to these ${members.length} agents?`,
      { initial: false },
    );
    return wants
      ? await this.#interview.text({
        message: "Its id",
        initial: "team",
        check: (id) => this.#parts.importer.describeBadId(id),
      })
      : undefined;
  }

  /** Returns the id under which an agent is written although its id is taken. Undefined: it is not written. */
  async #resolve({ id, path, state }: PlannedAgent): Promise<string | undefined> {
    const { existing = this.#asks ? undefined : "keep" } = this.#parts.options;
    if (existing === "replace") return id;
    if (existing === "rename") return await this.#freeId(id);
    if (existing === "keep") {
      this.#parts.context.output.notice(
        `${toOneLine(path)} is not imported: ${toOneLine(id)} stays (${STATES[state]}); ` +
          "--existing rename or replace imports it",
      );
      return undefined;
    }
    const choice = await this.#interview.select({
      message: `${toOneLine(path)}: the agent ${toOneLine(id)} exists (${STATES[state]})`,
      choices: [
        { value: "keep", label: "Keep the existing agent" },
        { value: "name", label: "Import under another id" },
        { value: "replace", label: "Replace the existing agent" },
      ],
      initial: "keep",
    });
    if (choice === "keep") return undefined;
    if (choice === "replace") return id;
    return await this.#interview.text({
      message: "Its id",
      initial: toOneLine(await this.#freeId(id)),
      check: (other) => this.#parts.importer.describeBadId(other),
    });
  }

  async #freeId(id: string): Promise<string> {
    let free = id;
    for (let count = 2; await this.#parts.importer.describeBadId(free) !== undefined; count++) {
      free = `${id.slice(0, 70)}-${count}`;
    }
    return free;
  }

  /** Returns the permissions that --allow or the person gives. */
  async choosePermissions(permissions: readonly Permission[]): Promise<Permission[]> {
    const { allow = [] } = this.#parts.options;
    const given: Permission[] = [];
    for (const permission of permissions) {
      if (allow.includes(permission.kind)) given.push(permission);
      else if (this.#asks) {
        const { output } = this.#parts.context;
        output.line();
        for (const line of describePermission(permission).split("\n")) output.sentence(line);
        if (await this.#interview.confirm("Give it?", { initial: false })) given.push(permission);
      }
    }
    return given;
  }

  async confirm({ agents }: ImportPlan): Promise<boolean> {
    if (this.#parts.options.yes === true) return true;
    const { skills } = this.#parts.opened;
    const things = [
      ...(agents.length === 0 ? [] : [formatPlural(agents.length, "agent")]),
      ...(skills.length === 0 ? [] : [formatPlural(skills.length, "skill")]),
    ];
    const question = `Write ${things.join(" and ")} into ${
      toOneLine(this.#parts.importer.agentsDir)
    }?`;
    return await this.#interview.confirm(question, { initial: false });
  }
}

/** Returns the files with the agents of these ids. Throws CommandFailure for an id that no file has. */
function chooseIds(files: readonly ReadFile[], only: readonly string[]): ReadFile[] {
  const known = new Set(files.flatMap(({ agents }) => agents.map(({ id }) => id)));
  const unknown = only.find((id) => !known.has(id));
  if (unknown !== undefined) {
    const ids = [...known].slice(0, 20).map(toOneLine).join(", ");
    throw misuse(`--only: there is no ${toOneLine(unknown)} in ${ids}`);
  }
  return files.map((file) => ({
    ...file,
    agents: file.agents.filter(({ id }) => only.includes(id)),
  }))
    .filter(({ agents }) => agents.length > 0);
}
