// `inkling new`: creates an agent file. Its text comes from a model, from the gallery, from the user's answers, or from
// options. The file is validated before it is saved, and never replaces an existing file.
import { defined } from "../../context/defined.ts";
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { newCommand } from "../../declarations/authoring_commands.ts";
import { toAgentWord } from "../../command_line/agent_word.ts";
import type { CommandContext } from "../../context/context.ts";
import { Interrupted, misuse } from "../../context/exit.ts";
import { Interview } from "../../prompting/interview.ts";
import type { AgentAuthor, NewAgentFields } from "../../../ops/authoring/agent_author.ts";
import { askBeginning, askGalleryName, askStart } from "../../new/gallery_dialog.ts";
import { draftWithModel } from "../../new/draft_dialog.ts";
import { askFields } from "../../new/questionnaire.ts";
import { readSchedule } from "../../new/spoken_schedule.ts";
import { readNamedModel } from "../../setup/named_model.ts";
import { describeStart } from "../../new/start_text.ts";
import { healthOf } from "../../service/connection.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { readAllInput } from "../../prompting/piped_input.ts";
import type { SetupReport } from "../../../ops/setup/setup_report.ts";

/** A value answers the question for the same field, so the question is skipped. */
type NewOptions = CommandOptions<typeof newCommand>;

/** Creates the file of an agent, and prints when the agent runs. */
export const perform = performs<typeof newCommand>(async (context, options, { name }) => {
  const { app, output } = context;
  if (options.yes && options.from === undefined) {
    throw misuse("--yes needs --from");
  }
  const author = await app.openAgentAuthor(context);
  let id: string;
  let draft: Draft;
  try {
    id = name ?? await chooseId(context, author, options);
    const problem = await author.describeBadId(id);
    if (problem !== undefined) throw misuse(problem);
    draft = await createDraft(context, author, { ...options, id });
  } catch (error) {
    if (error instanceof Interrupted) output.note("Nothing was saved");
    throw error;
  }
  // The files precede the agent, because its trigger may fire at once.
  const copied = await draft.copyFiles?.() ?? [];
  const { path, problems, start } = await author.save(id, draft.text);
  if (output.quiet) return output.line(toOneLine(path));
  for (const one of [path, ...copied]) output.line(`${output.style.green("✔")} ${toOneLine(one)}`);
  for (const { line, message, hint } of problems) {
    const remedy = hint === undefined ? "" : ` (${hint})`;
    output.warning(toOneLine(`Line ${line}: ${message}${remedy}`));
  }
  const isRunning = await healthOf(app, context.workspace) === "answers";
  const sentences = [...draft.notes ?? [], ...describeStart(start, { id, isRunning })];
  if (sentences.length > 0) output.line();
  for (const one of sentences) output.sentence(one);
  output.line(`\nRun it: inkling run ${toAgentWord(id)}`);
});

/** The text of a new agent file. An agent of the gallery has files and notes, too. */
interface Draft {
  text: string;
  notes?: readonly string[];
  /** Copies the files of the agent, and returns their paths. */
  copyFiles?: () => Promise<string[]>;
}

type DraftOptions = NewOptions & { id: string };

async function chooseId(
  context: CommandContext,
  author: AgentAuthor,
  { from, yes }: NewOptions,
): Promise<string> {
  if (from !== undefined && yes) return from;
  const interview = new Interview(context, "Pass the agent's id");
  return await interview.text({
    message: "The agent's id",
    ...(from !== undefined && { initial: from }),
    check: (id) => author.describeBadId(id),
  });
}

async function createDraft(
  context: CommandContext,
  author: AgentAuthor,
  options: DraftOptions,
): Promise<Draft> {
  const { prompt, from } = options;
  if (prompt !== undefined) {
    return { text: await fromFlags(context, author, { ...options, prompt }) };
  }
  if (from !== undefined) return await fromGallery(context, author, { ...options, from });
  return await ask(context, author, options);
}

/** Copies an agent of the gallery. Asks when it runs, unless options decide that. */
async function fromGallery(
  context: CommandContext,
  author: AgentAuthor,
  options: DraftOptions & { from: string },
): Promise<Draft> {
  const { app } = context;
  const { id, from } = options;
  const gallery = await app.openGallery(context);
  const agent = await gallery.read(from);
  const { description, model, trigger } = fieldsOf(options, await app.info(context));
  const start = trigger?.type === "schedule"
    ? { schedule: trigger, startsByItself: true }
    : options.yes || agent.trigger === undefined
    ? { startsByItself: false }
    : await askStart({ context, author, id, trigger: agent.trigger });
  return {
    text: await gallery.format(from, { ...defined({ description, model }), ...start }),
    notes: agent.notes,
    copyFiles: () => gallery.copyFiles(from, id),
  };
}

async function fromFlags(
  context: CommandContext,
  author: AgentAuthor,
  options: DraftOptions & { prompt: string },
): Promise<string> {
  const { app } = context;
  const { id } = options;
  const given = fieldsOf(options, await app.info(context));
  const prompt = options.prompt === "-" ? await readAllInput(app) : options.prompt;
  const fields = { ...given, prompt };
  const [problem] = await author.findProblems(id, fields);
  if (problem !== undefined) throw misuse(problem);
  return author.format(fields);
}

async function ask(
  context: CommandContext,
  author: AgentAuthor,
  options: DraftOptions,
): Promise<Draft> {
  const { id, description } = options;
  const interview = new Interview(context, "Pass the agent's task with --prompt");
  const info = await context.app.info(context);
  const given = fieldsOf(options, info);
  // A model writes the file only if options set no field except the description.
  const isOpen = Object.keys(given).every((field) => field === "description");
  if (options.template === undefined && isOpen) {
    const model = author.drafter();
    const beginning = description === undefined
      ? await askBeginning(interview, { id, model })
      : "describe";
    if (beginning === "gallery") {
      const from = await askGalleryName(
        interview,
        await context.app.openGallery(context),
      );
      return await fromGallery(context, author, { ...options, from });
    }
    if (beginning === "describe") {
      const dialog = { context, interview, author, id, description };
      const text = model && await draftWithModel({ ...dialog, model });
      if (text !== undefined) return { text };
      context.output.note(
        model === undefined
          ? 'No model that can write the file is configured ("inkling setup" configures one). Answer these questions instead'
          : "Answer these questions instead",
      );
    }
  }
  const fields = await askFields({ context, interview, author, id, info, given });
  return { text: author.format(fields) };
}

/**
 * Returns the fields that the options set, without the prompt. Throws CommandFailure if only a part of the model is given.
 */
function fieldsOf(
  options: NewOptions,
  info: Pick<SetupReport, "defaultModel" | "providers">,
): Omit<NewAgentFields, "prompt"> {
  const { description, every, cron, watch, after, path } = options;
  const model = modelOf(options, info);
  const trigger = every !== undefined
    ? { type: "schedule" as const, ...(readSchedule(every) ?? { every }) }
    : cron !== undefined
    ? { type: "schedule" as const, cron }
    : watch !== undefined
    ? { type: "watch" as const, paths: watch }
    : undefined;
  return defined({ description, model, trigger, after, paths: path });
}

function modelOf(
  options: NewOptions,
  { defaultModel, providers }: Pick<SetupReport, "defaultModel" | "providers">,
): NewAgentFields["model"] {
  const { provider, model, baseUrl } = readNamedModel(options, providers);
  if (provider === undefined && model === undefined && baseUrl === undefined) return undefined;
  const owner = provider ?? defaultModel?.split("/", 1)[0];
  if (owner === undefined) throw misuse("--model needs --provider");
  if (model === undefined) {
    const flag = provider === undefined ? "--base-url" : "--provider";
    throw misuse(`${flag} needs --model`);
  }
  return defined({ provider: owner, name: model, base_url: baseUrl });
}
