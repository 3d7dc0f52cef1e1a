// Conducts the dialog in which the model writes an agent file. The user describes the agent, reviews the file and requests
// changes.
import type { CommandContext } from "../context/context.ts";
import { Interrupted } from "../context/exit.ts";
import { listenToInterrupts } from "../prompting/interrupts.ts";
import type { Interview } from "../prompting/interview.ts";
import { toOneLine } from "../output/sanitize.ts";
import { toVisible } from "../../present/visible_text.ts";
import type { AgentAuthor } from "../../ops/authoring/agent_author.ts";
import type { DraftRequest } from "../../ops/authoring/agent_draft.ts";

/** The input of draftWithModel(). */
export interface DraftDialogOptions {
  context: CommandContext;
  interview: Interview;
  author: AgentAuthor;
  /** The model that writes the file, as `provider/name`. */
  model: string;
  id: string;
  /**
   * The user's description of the agent from the command line, or undefined. If there is a description, the question for a
   * description is skipped.
   */
  description: string | undefined;
}

/**
 * Returns the text of the agent file to save. Returns undefined if the model fails or the user prefers the questionnaire.
 * Throws Interrupted if the user cancels.
 */
export async function draftWithModel(options: DraftDialogOptions): Promise<string | undefined> {
  const { interview, id } = options;
  const description = options.description ?? await interview.text({
    message: `What should ${toOneLine(id)} do, and when? ${
      toOneLine(options.model)
    } writes the file`,
    check: (answer) => answer === "" ? "Describe it in a sentence or two" : undefined,
  });
  let text = await draft(options, { id, description });
  while (text !== undefined) {
    options.context.output.line(`\n${toVisible(text)}`);
    const next = await interview.select({
      message: `Save it as ${toOneLine(id)}.md?`,
      choices: [
        { value: "save", label: "Save it" },
        { value: "change", label: "Change something", hint: "the model rewrites the file" },
        { value: "again", label: "Write it again" },
        { value: "questions", label: "Answer questions instead" },
        { value: "cancel", label: "Cancel" },
      ],
    });
    if (next === "save") return text;
    if (next === "questions") return undefined;
    if (next === "cancel") throw new Interrupted();
    const revision = next === "change"
      ? { text, change: await interview.text({ message: "What should be different?" }) }
      : undefined;
    const request = { id, description, ...(revision && { revision }) };
    // Keeps the previous draft if the model fails to produce another one.
    text = await draft(options, request) ?? text;
  }
  return undefined;
}

async function draft(
  { context, author, model }: DraftDialogOptions,
  request: DraftRequest,
): Promise<string | undefined> {
  const { app, output } = context;
  output.note(`${model} is writing the file. Ctrl+C stops it`);
  using interrupts = listenToInterrupts(app);
  const result = await author.draft(request, interrupts.first);
  if ("text" in result) return result.text;
  output.warning(toOneLine(`${model} did not produce an agent file: ${result.failure}`));
  return undefined;
}
