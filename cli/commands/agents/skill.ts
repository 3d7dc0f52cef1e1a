// `inkling skill`: adds a skill after a confirmation, lists the workspace's skills, or removes one.
import { defined } from "../../context/defined.ts";
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { skill } from "../../declarations/authoring_commands.ts";
import { checkAction } from "../../command_line/actions.ts";
import type { CommandContext } from "../../context/context.ts";
import { changeWithConsent, removeInstalled } from "../../install/consent.ts";
import type { ListedSkill, PreparedSkill } from "../../../ops/install/skill_installer.ts";
import { formatBytes } from "../../output/figures.ts";
import type { Field } from "../../output/output.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { NOTHING } from "../../output/table.ts";
import { toVisibleLine } from "../../../present/visible_text.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

/** The maximum number of files that a list names. */
const NAMED_FILES = 20;

const ACTIONS = {
  add: { words: ["source"], options: ["name", "path", "yes"] },
  list: { words: [], options: ["json"] },
  remove: { words: ["source"], options: ["yes"] },
} as const;

type SkillOptions = CommandOptions<typeof skill>;

/** Adds, lists or removes skills, according to the action. */
export const perform = performs<typeof skill>(async (context, options, words) => {
  checkAction("skill", ACTIONS, words, options);
  const { action, source = "" } = words;
  if (action === "list") await show(context, options);
  else await (action === "add" ? add : remove)(context, source, options);
});

/** Reads the skill from its source, prints its details, and adds it to the workspace if the user confirms. */
async function add(
  context: CommandContext,
  source: string,
  { yes, name, path }: SkillOptions,
): Promise<void> {
  const { app } = context;
  const installer = await app.openSkillInstaller(context);
  using interrupts = listenToInterrupts(app);
  await using skill = await installer.prepare(defined({ source, name, path }), interrupts.first);
  const isSame = skill.changes !== undefined && listChanges(skill.changes) === "";
  const verb = skill.changes === undefined ? "Add" : isSame ? "Write" : "Replace";
  await changeWithConsent(context, {
    fields: describe(skill),
    question: `${verb} the skill ${toOneLine(skill.name)}?`,
    done: "added",
    target: skill.target,
    next: `To use it, write into an agent's file: skills: [${skill.name}]`,
    make: () => skill.add(),
  }, { yes: yes === true });
}

/** Prints the skills of the workspace. */
async function show(context: CommandContext, { json }: SkillOptions): Promise<void> {
  const { app, output } = context;
  const skills = await (await app.openSkillInstaller(context)).list();
  if (json) output.json(skills.map(toJson));
  else if (skills.length === 0) output.detail('There are no skills. "inkling skill add" adds one');
  else {
    output.table(skills, [
      { header: "Skill", cell: ({ name }) => name, paint: output.style.bold },
      { header: "Source", cell: ({ source }) => source ?? NOTHING, shrinks: true },
      { header: "Agents", cell: ({ agents }) => agents.join(", ") || NOTHING, shrinks: true },
      { header: "Description", cell: ({ description }) => description, shrinks: true },
    ], { note: ({ problem }) => problem && `cannot be used: ${problem}` });
  }
}

function toJson(
  { name, description, source, problem, agents }: ListedSkill,
): Record<string, unknown> {
  return { name, description, source: source ?? null, problem: problem ?? null, agents };
}

/** Deletes the folder of a skill if the user confirms. */
async function remove(
  context: CommandContext,
  name: string,
  { yes }: SkillOptions,
): Promise<void> {
  const installer = await context.app.openSkillInstaller(context);
  await removeInstalled(context, {
    what: "skill",
    name,
    items: await installer.list(),
    fieldsOf: ({ source, target }, usedBy) => [
      ["Skill", toVisibleLine(name)],
      [
        "Source",
        toVisibleLine(source ?? "none: the skill was written here and cannot be restored"),
      ],
      usedBy,
      ["Deletes", toVisibleLine(target)],
    ],
    targetOf: ({ target }) => target,
    remove: (skill) => installer.remove(skill),
    yes,
  });
}

function describe(skill: PreparedSkill): Field[] {
  const { name, description, pinned, files, bytes, scripts, target, changes } = skill;
  const confined = scripts.filter((path) => /\.[tj]s$/.test(path));
  const free = scripts.filter((path) => !confined.includes(path));
  const starts = [
    ...(free.length > 0 ? [`${list(free)}: with your permissions, unless in a sandbox`] : []),
    ...(confined.length > 0 ? [`${list(confined)}: in the agent's paths, without network`] : []),
  ];
  return [
    ["Skill", toVisibleLine(name)],
    ["Description", toVisibleLine(description) || "none"],
    ["Source", toVisibleLine(pinned)],
    ["Files", `${files.length} (${formatBytes(bytes)}): ${list(files)}`],
    ["Agents can run", starts.join("; ") || "none of its files"],
    ["Writes", toVisibleLine(target)],
    changes !== undefined && ["Changes", listChanges(changes) || "none"],
  ];
}

function listChanges({ changed, added, missing }: NonNullable<PreparedSkill["changes"]>): string {
  const parts = [["changed", changed], ["new", added], ["missing", missing]] as const;
  return parts.flatMap(([what, paths]) => paths.length > 0 ? [`${what}: ${list(paths)}`] : [])
    .join("; ");
}

function list(paths: readonly string[]): string {
  const more = paths.length - NAMED_FILES;
  const named = paths.slice(0, NAMED_FILES).map(toVisibleLine).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
