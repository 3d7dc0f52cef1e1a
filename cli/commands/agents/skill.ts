// skill add: shows what a skill is and what of it agents may start, asks, and puts it into the workspace.
import { type CommandContext, workspaceOf } from "../../context.ts";
import type { ExitCode } from "../../exit.ts";
import { addWithConsent } from "../../install/consent.ts";
import type { BroughtSkill } from "../../install/skill_installer.ts";
import { formatBytes } from "../../output/figures.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { toVisibleLine } from "../../output/visible_text.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

/** Of many files so many are named. */
const NAMED_FILES = 20;

/** Adds the skill of a source. */
export async function addSkill(
  context: CommandContext,
  source: string,
  { yes, ...wish }: { name?: string; path?: string; yes?: true },
): Promise<ExitCode> {
  const { app } = context;
  const installer = await app.openSkillInstaller(workspaceOf(context));
  using interrupts = listenToInterrupts(app);
  await using skill = await installer.bring({ source, ...wish }, interrupts.first);
  const isSame = skill.changes !== undefined && listChanges(skill.changes) === "";
  const verb = skill.changes === undefined ? "Add" : isSame ? "Write" : "Replace";
  return await addWithConsent(context, {
    fields: describe(skill),
    question: `${verb} the skill ${toOneLine(skill.name)}?`,
    target: skill.target,
    use: `skills: [${skill.name}]`,
    add: () => skill.add(),
  }, { yes: yes === true });
}

function describe(skill: BroughtSkill): [string, string][] {
  const { name, description, pinned, files, bytes, scripts, target, changes } = skill;
  const confined = scripts.filter((path) => /\.[tj]s$/.test(path));
  const free = scripts.filter((path) => !confined.includes(path));
  const starts = [
    ...(free.length > 0
      ? [`${list(free)}: with your own rights, unless a sandbox holds them`]
      : []),
    ...(confined.length > 0 ? [`${list(confined)}: within the agent's paths, no network`] : []),
  ];
  return [
    ["Skill", toVisibleLine(name)],
    ["Says", toVisibleLine(description) || "nothing of itself"],
    ["From", toVisibleLine(pinned)],
    ["Files", `${files.length} (${formatBytes(bytes)}): ${list(files)}`],
    ["Agents may start", starts.join("; ") || "nothing of it"],
    ["Goes to", toVisibleLine(target)],
    ...(changes === undefined ? [] : [["Changes", listChanges(changes) || "none"]] as [
      string,
      string,
    ][]),
  ];
}

function listChanges({ changed, added, missing }: NonNullable<BroughtSkill["changes"]>): string {
  const parts = [["changed", changed], ["new", added], ["gone", missing]] as const;
  return parts.flatMap(([what, paths]) => paths.length > 0 ? [`${what}: ${list(paths)}`] : [])
    .join("; ");
}

function list(paths: readonly string[]): string {
  const more = paths.length - NAMED_FILES;
  const named = paths.slice(0, NAMED_FILES).map(toVisibleLine).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
