// Asks the user about a tool call. The user approves it once or always, denies it, or edits its arguments.
import { ApiError } from "../../api/client/client.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { CommandFailure, Interrupted } from "../context/exit.ts";
import { formatDiff } from "../output/diff.ts";
import { countDiffLines, formatRequest, isFolded, promptMessage } from "../output/requests.ts";
import { commandOf } from "../../present/asked_command.ts";
import { toVisibleLine } from "../../present/visible_text.ts";
import { wrapExactly } from "../output/wrap.ts";
import { type Answer, askDenial, type Asking } from "./asking.ts";
import type { Choice } from "../context/input.ts";
import { readArguments } from "./read_arguments.ts";

/** The minimum number of diff lines that are shown. */
const FEWEST_LINES = 8;
/** The rows of the screen that the choices and the lines above the diff need. */
const OTHER_LINES = 14;

/** The prefix of the value of a choice that edits a single argument. */
const TEXT_CHOICE = "text ";
/** The length above which the text of an argument is offered for separate editing. */
const SHORT_VALUE = 60;

/**
 * Returns the names of the arguments that are offered for separate editing: the content of a file, and texts that are long
 * or have several lines.
 */
function textsOf(args: PendingBody["tool_args"]): string[] {
  return Object.entries(args).filter(([name, value]) =>
    typeof value === "string" &&
    (name === "content" || value.includes("\n") || value.length > SHORT_VALUE)
  ).map(([name]) => name);
}

/** Returns the extension of the file that the call changes, so that the editor highlights its syntax. */
function suffixOf({ path }: PendingBody["tool_args"]): string {
  return typeof path === "string" ? /\.[A-Za-z0-9]{1,10}$/.exec(path)?.[0] ?? ".txt" : ".txt";
}

/**
 * Asks the user about the call and returns the answer. Returns undefined if the user skips the question with Esc. Rejects
 * with Interrupted at Ctrl+C.
 */
export async function askPermission(
  pending: PendingBody,
  asking: Asking,
): Promise<Answer | undefined> {
  return await new Permission(pending, asking).ask();
}

class Permission {
  readonly #asking: Asking;
  /** The question, with the arguments as the user has edited them. */
  #pending: PendingBody;
  #edited: PendingBody["tool_args"] | undefined;
  /**
   * The edited texts that were not applied, keyed by the menu entry (all arguments, or a single one). Editing the same
   * entry again begins with its text.
   */
  readonly #drafts = new Map<string, string>();
  #mostLines: number;

  constructor(pending: PendingBody, asking: Asking) {
    this.#pending = pending;
    this.#asking = asking;
    this.#mostLines = Math.max(FEWEST_LINES, asking.output.stdout.rows - OTHER_LINES);
  }

  async ask(): Promise<Answer | undefined> {
    const { app: { input: { prompter } }, signal } = this.#asking;
    this.#show();
    for (;;) {
      const message = promptMessage(this.#pending) ?? "Allow it?";
      // Preselects "deny", so that Enter pressed by accident allows nothing.
      const choices = this.#choices();
      const chosen = await prompter.select({ message, choices, initial: "deny", signal });
      switch (chosen) {
        case undefined:
          return undefined;
        case "approve":
          return this.#approval();
        case "deny":
          return await askDenial(this.#asking);
        case "always":
          if (await this.#addAutoApproval()) return this.#approval();
          break;
        case "whole":
          this.#mostLines = Infinity;
          this.#show();
          break;
        default:
          await this.#edit(chosen);
      }
    }
  }

  #choices(): Choice[] {
    const { preview, asked_by: agent, tool_name: tool } = this.#pending;
    const lines = countDiffLines(preview?.diff ?? "");
    return [
      {
        value: "approve",
        label: this.#edited === undefined ? "Approve" : "Approve the changed call",
      },
      { value: "deny", label: "Deny" },
      {
        value: "always",
        label: commandOf(this.#pending) === undefined
          ? `Always allow ${toVisibleLine(tool)} for ${toVisibleLine(agent)}`
          : `Always allow such commands for ${toVisibleLine(agent)}`,
      },
      ...textsOf(this.#pending.tool_args).map((name) => ({
        value: TEXT_CHOICE + name,
        label: `Edit ${toVisibleLine(name)} in your editor`,
      })),
      { value: "edit", label: "Edit all arguments, as JSON" },
      ...(isFolded(this.#pending, this.#mostLines)
        ? [{ value: "whole", label: `Show the whole diff (${lines} lines)` }]
        : []),
    ];
  }

  #approval(): Answer {
    return { approved: true, ...(this.#edited && { arguments: this.#edited }) };
  }

  #show(): void {
    const { output } = this.#asking;
    const text = formatRequest(this.#pending, output.style, { mostLines: this.#mostLines });
    if (text !== "") output.line(`\n${wrapExactly(text, output.stdout.columns)}`);
  }

  /**
   * Shows the change of the agent file that allows the tool permanently, and writes it if the user confirms. Returns true
   * if the call is thereby approved.
   */
  async #addAutoApproval(): Promise<boolean> {
    const { app: { input: { prompter } }, output, client, signal } = this.#asking;
    const { asked_by: agent, tool_name: tool } = this.#pending;
    const command = commandOf(this.#pending);
    return await this.#unlessRefused(async () => {
      const { path, diff, already } = await client.autoApprove(agent, {
        ...{ tool, command },
        write: false,
      });
      if (already) {
        output.note(`${agent} may already call ${tool} without asking; this call is older`);
        return true;
      }
      const shown = [
        `${output.style.bold(toVisibleLine(path))}`,
        ...formatDiff(diff, output.style),
      ];
      output.line(`\n${wrapExactly(shown.join("\n"), output.stdout.columns)}`);
      const message = "Write this, and approve the call?";
      if (await prompter.confirm({ message, signal }) !== true) return false;
      await client.autoApprove(agent, { tool, command, write: true });
      return true;
    }) ?? false;
  }

  /**
   * Opens the editor with all arguments as JSON, or with a single argument as a text file. Applies the edit if the service
   * accepts it.
   */
  async #edit(choice: string): Promise<void> {
    const { app: { editText }, client } = this.#asking;
    const { execution_id: id, request_id, tool_args: args } = this.#pending;
    const name = choice.startsWith(TEXT_CHOICE) ? choice.slice(TEXT_CHOICE.length) : undefined;
    const [file, before] = name === undefined
      ? ["arguments.json", JSON.stringify(args, null, 2) + "\n"]
      : [`text${suffixOf(args)}`, String(args[name])];
    // Editors add a line break at the end of a file. It is removed if the argument had none.
    const withoutEnd = (text: string) => before.endsWith("\n") ? text : text.replace(/\n$/, "");
    await this.#unlessRefused(async () => {
      const text = withoutEnd(await editText(this.#drafts.get(choice) ?? before, file));
      this.#drafts.set(choice, text);
      if (text === before) return this.#asking.output.note("Nothing was changed");
      const edited = name === undefined ? readArguments(text) : { ...args, [name]: text };
      const { preview } = await client.previewArguments(id, { request_id, arguments: edited });
      this.#drafts.clear();
      this.#edited = edited;
      this.#pending = { ...this.#pending, tool_args: edited, preview };
      this.#show();
    });
  }

  /**
   * Returns the result of `work`. Prints an error of the service or of the user's input and returns undefined, so that the
   * question is repeated.
   */
  async #unlessRefused<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      const isRefusal = error instanceof ApiError && [403, 409, 422].includes(error.status) ||
        error instanceof CommandFailure && !(error instanceof Interrupted);
      if (!isRefusal) throw error;
      this.#asking.output.error(error.message);
      return undefined;
    }
  }
}
