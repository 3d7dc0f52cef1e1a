// The operations behind `inkling new`: checks an id, drafts an agent file with a model, validates the file and saves it.
import { join } from "../../base/plain_path.ts";
import { formatAgentFile, type NewAgentFields } from "../../runtime/agents/agent_file_text.ts";
import {
  describeBadName,
  idOfFileName,
  isAgentFileName,
  normalizeId,
} from "../../runtime/agents/agent_id.ts";
import { listAgentFiles } from "../../runtime/agents/agent_names.ts";
import { readMachineTimeZone } from "../../runtime/agents/machine_time_zone.ts";
import { parseAgent } from "../../runtime/agents/parse_agent.ts";
import { unattendedGuards } from "./validate_unattended.ts";
import { BUILTIN_TOOL_NAMES, builtinToolsBy } from "../../runtime/vocabulary/builtin_tools.ts";
import { describeForbidden, describeUnseen, draftAgent, type DraftRequest } from "./agent_draft.ts";
import { type AgentValidation, openAgentValidation } from "./agent_validation.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { type Diagnostic, errorsOf } from "../../base/diagnostics.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { BudgetExceeded } from "../../runtime/executions/budget/budget_gate.ts";
import { ModelError } from "../../runtime/models/model.ts";
import type { Context } from "../../runtime/config/context.ts";
import { isFileFailure, unreadableReason } from "../../base/files/unreadable.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import { toModel } from "../../runtime/config/providers.ts";
import { describeSetup } from "../../runtime/triggers/webhook/setup_text.ts";
import { createSchedule } from "../../runtime/triggers/schedule/schedule.ts";
import { ifUsable, modelEndpoint } from "../../runtime/models/endpoint.ts";
import { resolveModel } from "../../runtime/models/calls/resolve.ts";
import { ReplyTimeout, withRetry } from "../../runtime/models/calls/retry.ts";
import { openWorkspaceBilling } from "../../runtime/wiring/workspace_billing.ts";

/** A log that discards its entries: a person waits, and gets the errors directly. */
const SILENT = { write: () => {} };

/**
 * Error: a new agent file was not written. `invalid`: the file would not parse. `conflict`: the file exists. `storage`: the
 * folder cannot be read or written.
 */
export class AgentNotSaved extends RuntimeError {
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type { NewAgentFields };

/** The settings that start an agent without a person. `nextRun` is the schedule's next time in milliseconds, or null. */
export interface AgentStart extends Pick<Agent, "enabled" | "trigger" | "after"> {
  nextRun: number | null;
  /** Lines of text with the settings to enter at the sender of the agent's webhook. */
  setup?: string[];
}

/** Creates agent files in one workspace. */
export class AgentAuthor {
  readonly #context: Pick<Context, "settings" | "clock">;

  constructor(context: Pick<Context, "settings" | "clock">) {
    this.#context = context;
  }

  /**
   * Checks the id of a new agent. Returns a sentence with the reason why the id cannot be used, or undefined if it can.
   * Throws AgentNotSaved if the folder cannot be read.
   */
  async describeBadId(id: string): Promise<string | undefined> {
    const reason = describeBadName(id);
    if (reason !== undefined) {
      const hint = id.endsWith(".md") ? "; leave .md out: it is added to the file's name" : "";
      return `The id ${JSON.stringify(id)} ${reason}${hint}`;
    }
    const { agentsDir } = this.#context.settings.directories;
    if (!isAgentFileName(`${id}.md`)) {
      return `The id ${JSON.stringify(id)} is taken: ${id}.md in ${agentsDir} is never an agent`;
    }
    const taken = await findFile(agentsDir, id);
    return taken && `The agent "${id}" exists already: ${join(agentsDir, taken)}`;
  }

  /** Returns the names of the mail accounts in config.yaml. */
  mailAccounts(): string[] {
    return this.#context.settings.config.mail.map(({ name }) => name);
  }

  /**
   * Returns the drafting model, which is the default model, as `provider/name`. Undefined if there is no default model, if
   * it is the demo model, or if its key is missing.
   */
  drafter(): string | undefined {
    const model = toModel(undefined, this.#context.settings.config.defaults);
    // The demo models follow scripts and cannot write an agent file.
    if (model === undefined || model.provider === "demo") return undefined;
    const endpoint = ifUsable(() => modelEndpoint(model));
    const key = this.#context.settings.environment.get(endpoint?.keyVariable ?? "") ?? "";
    return endpoint?.keyRequired && key.trim() === "" ? undefined : endpoint?.id;
  }

  /**
   * Asks the drafting model for an agent file. Returns the text of the file or, in `failure`, the reason why there is none,
   * to be printed after a colon. Rethrows the signal's reason.
   */
  async draft(
    request: DraftRequest,
    signal: AbortSignal,
  ): Promise<{ text: string } | { failure: string }> {
    const { settings, clock } = this.#context;
    const { defaults } = settings.config;
    const { temperature, maxTokens } = defaults;
    await using validation = await openAgentValidation(settings);
    const options = { settings, clock, log: SILENT };
    await using opened = await openWorkspaceBilling(options);
    const { billing } = opened;
    try {
      const text = await draftAgent(request, {
        // Throws ModelError if the model cannot be called.
        model: withRetry(await resolveModel(toModel(undefined, defaults), options, billing), {
          clock,
          timeoutMs: defaults.timeout * 1_000,
          log: SILENT,
        }),
        temperature,
        maxTokens,
        toolNames: builtinToolsBy(undefined),
        findProblems: (text) => this.#findDraftProblems(request.id, text, validation),
        signal,
      });
      return { text };
    } catch (error) {
      if (
        error instanceof ModelError || error instanceof ReplyTimeout ||
        error instanceof BudgetExceeded
      ) {
        return { failure: error.message };
      }
      throw error;
    }
  }

  /** Returns the text of an agent file with these fields. */
  format(fields: NewAgentFields): string {
    return formatAgentFile(fields);
  }

  /** Returns the parse errors of an agent file with these fields. Does not check that keys or paths exist. */
  async findProblems(id: string, fields: NewAgentFields): Promise<string[]> {
    const parsed = await this.#parse(id, formatAgentFile(fields));
    return "diagnostics" in parsed
      ? errorsOf(parsed.diagnostics).map(({ message }) => message)
      : [];
  }

  /** Returns the tools that wait for approval when the agent with these fields starts without a person. */
  async unattendedGuards(id: string, fields: NewAgentFields): Promise<string[]> {
    const parsed = await this.#parse(id, formatAgentFile(fields));
    return "diagnostics" in parsed ? [] : unattendedGuards(parsed.agent, BUILTIN_TOOL_NAMES);
  }

  /**
   * Writes a new agent file. Returns its path, its problems and its next start. Throws AgentNotSaved if the text does not
   * parse, the file exists, or the folder cannot be written.
   */
  async save(
    id: string,
    text: string,
  ): Promise<{ path: string; problems: Diagnostic[]; start: AgentStart }> {
    const source = this.#source(id, text);
    const { path } = source;
    const parsed = await this.#parse(id, text);
    if ("diagnostics" in parsed) {
      const [error] = errorsOf(parsed.diagnostics);
      throw new AgentNotSaved("invalid", `Cannot save ${path}: ${error?.message}`);
    }
    await makeFolder(this.#context.settings.directories.agentsDir);
    try {
      await writeFileAtomically(path, text, { mustBeNew: true });
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) {
        const message = `Cannot save ${path}: a file of that name is there already`;
        throw new AgentNotSaved("conflict", message, { cause: error });
      }
      if (!isFileFailure(error)) throw error;
      const message = `Cannot save ${path}: ${unreadableReason(error)}`;
      throw new AgentNotSaved("storage", message, { cause: error });
    }
    await using validation = await openAgentValidation(this.#context.settings);
    return {
      path,
      problems: await validation.validate(source),
      start: this.#startOf(parsed.agent),
    };
  }

  #startOf({ id, enabled, trigger, after }: Agent): AgentStart {
    const now = this.#context.clock.now();
    const timeZone = readMachineTimeZone(this.#context.settings.shell["TZ"]).name;
    const nextRun = trigger.type === "schedule"
      ? createSchedule(trigger, { timeZone }).nextAfter(now, now)
      : null;
    const setup = describeSetup({ id, trigger }, this.#context.settings.config);
    return { enabled, trigger, after, nextRun, setup };
  }

  /** Returns the problems of a draft, including fields that only a person may set. */
  async #findDraftProblems(
    id: string,
    text: string,
    validation: AgentValidation,
  ): Promise<string[]> {
    const unseen = describeUnseen(text);
    if (unseen !== undefined) return [unseen];
    const parsed = await this.#parse(id, text);
    if ("diagnostics" in parsed) return errorsOf(parsed.diagnostics).map(toSentence);
    const forbidden = describeForbidden(parsed.document.value);
    if (forbidden.length > 0) return forbidden;
    return errorsOf(await validation.validate(this.#source(id, text))).map(toSentence);
  }

  #parse(id: string, text: string): ReturnType<typeof parseAgent> {
    return parseAgent(this.#source(id, text), this.#context.settings);
  }

  #source(id: string, text: string): { path: string; bytes: Uint8Array } {
    const path = join(this.#context.settings.directories.agentsDir, `${normalizeId(id)}.md`);
    return { path, bytes: new TextEncoder().encode(text) };
  }
}

function toSentence({ line, message }: Diagnostic): string {
  return `Line ${line}: ${message}`;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true });
  } catch (error) {
    const reason = error instanceof Deno.errors.AlreadyExists
      ? "a file stands where a folder should"
      : unreadableReason(error);
    const message = `Cannot make the folder ${path}: ${reason}`;
    throw new AgentNotSaved("storage", message, { cause: error });
  }
}

/** Returns the name of the file with this id, in any Unicode normalization, or undefined if there is none. */
async function findFile(agentsDir: string, id: string): Promise<string | undefined> {
  const wanted = normalizeId(id);
  try {
    return (await listAgentFiles(agentsDir))
      .find((name) => isAgentFileName(name) && idOfFileName(name) === wanted);
  } catch (error) {
    const message = `Cannot look into ${agentsDir}: ${unreadableReason(error)}`;
    throw new AgentNotSaved("storage", message, { cause: error });
  }
}
