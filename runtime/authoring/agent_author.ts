// What `new` does with a workspace: tells whether an id is free, has a model write a file, checks files and saves them.
import { join } from "node:path";
import { formatAgentFile, type NewAgentFields } from "../agents/agent_file_text.ts";
import { describeBadName, idOfFileName, isAgentFileName, normalizeId } from "../agents/agent_id.ts";
import { parseAgent } from "../agents/parse_agent.ts";
import { draftAgent, DraftFailed, type DraftRequest } from "./agent_draft.ts";
import { type AgentValidation, openAgentValidation } from "./agent_validation.ts";
import { writeFileAtomically } from "../files/atomic_file.ts";
import type { Clock } from "../clock.ts";
import type { Diagnostic } from "../diagnostics.ts";
import { RuntimeError, type RuntimeErrorCode } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import { modelEndpoint } from "../models/endpoint.ts";
import { type Model, ModelError } from "../models/model.ts";
import { resolveModel } from "../models/resolve.ts";
import { withRetry } from "../models/retry.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { isFileFailure, unreadableReason } from "../files/unreadable.ts";

/** A new agent's file cannot be written, or may not be: what stands there is never replaced. */
export class AgentNotSaved extends RuntimeError {
  readonly code: RuntimeErrorCode = "conflict";
}

/** A model's text may hold what a terminal does not show; what is saved is what was seen. */
const INVISIBLE = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

const PERSONAL_FIELDS = ["auto_approve", "custom_tools", "tools", "mcp"];
const PERSONAL_MODEL_FIELDS = ["base_url", "url", "api_key_env"];

/** Makes agent files in one workspace. */
export class AgentAuthor {
  readonly #settings: WorkspaceSettings;
  readonly #clock: Clock;

  constructor(options: { settings: WorkspaceSettings; clock: Clock }) {
    this.#settings = options.settings;
    this.#clock = options.clock;
  }

  /** Why no agent of this id can be made, as a sentence; undefined when one can. */
  async describeBadId(id: string): Promise<string | undefined> {
    const reason = describeBadName(id);
    if (reason !== undefined) {
      const hint = id.endsWith(".md") ? "; the file gets its .md by itself" : "";
      return `The id ${JSON.stringify(id)} ${reason}${hint}`;
    }
    const { agentsDir } = this.#settings.directories;
    if (!isAgentFileName(`${id}.md`)) {
      return `The id ${JSON.stringify(id)} is taken: ${id}.md in ${agentsDir} is never an agent`;
    }
    const taken = await findFile(agentsDir, id);
    return taken && `There is an agent "${id}" already: ${join(agentsDir, taken)}`;
  }

  /** The model that can write a file, `provider/name`; undefined where none is configured or its key is missing. */
  drafter(): string | undefined {
    const model = this.#defaultModel();
    // Its models play scripts: they can write no file.
    if (model === undefined || model.provider === "demo") return undefined;
    try {
      const { id, keyVariable, keyRequired } = modelEndpoint(model);
      const key = keyVariable === null ? "" : this.#settings.environment.get(keyVariable) ?? "";
      return keyRequired && key.trim() === "" ? undefined : id;
    } catch (error) {
      if (error instanceof ModelError) return undefined;
      throw error;
    }
  }

  /** Has the model write the file; `failure` says, as the end of a sentence, why there is none. Rethrows the signal's reason. */
  async draft(
    request: DraftRequest,
    signal: AbortSignal,
  ): Promise<{ text: string } | { failure: string }> {
    const { temperature, maxTokens } = this.#settings.config.defaults;
    await using validation = await openAgentValidation(this.#settings);
    try {
      const text = await draftAgent(request, {
        model: await this.#openModel(),
        temperature,
        maxTokens,
        toolNames: validation.toolNames,
        findProblems: (text) => this.#findDraftProblems(request.id, text, validation),
        signal,
      });
      return { text };
    } catch (error) {
      if (error instanceof DraftFailed || error instanceof ModelError) {
        return { failure: error.message };
      }
      throw error;
    }
  }

  /** The file's text for these fields. */
  format(fields: NewAgentFields): string {
    return formatAgentFile(fields);
  }

  /** Why these fields are no agent, as sentences; what is missing around it (a key, a path) is no reason. */
  async findProblems(id: string, fields: NewAgentFields): Promise<string[]> {
    const parsed = await this.#parse(id, formatAgentFile(fields));
    if ("diagnostics" in parsed) return errorsOf(parsed.diagnostics).map(({ message }) => message);
    return parsed.agent.body === "" ? ["The system prompt is empty"] : [];
  }

  /**
   * Writes the file, which must parse, and tells what is odd about it and around it. Throws AgentNotSaved where a file
   * of that id appeared meanwhile, or the folder cannot be written to.
   */
  async save(id: string, text: string): Promise<{ path: string; problems: Diagnostic[] }> {
    const source = this.#source(id, text);
    const { path } = source;
    const parsed = await this.#parse(id, text);
    if ("diagnostics" in parsed) {
      throw new AgentNotSaved(`Cannot save ${path}: ${errorsOf(parsed.diagnostics)[0]?.message}`);
    }
    try {
      await Deno.mkdir(this.#settings.directories.agentsDir, { recursive: true });
      await writeFileAtomically(path, text, { mustBeNew: true });
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) {
        throw new AgentNotSaved(`Cannot save ${path}: a file of that name is there already`, {
          cause: error,
        });
      }
      if (!isFileFailure(error)) throw error;
      throw new AgentNotSaved(`Cannot save ${path}: ${unreadableReason(error)}`, { cause: error });
    }
    await using validation = await openAgentValidation(this.#settings);
    return { path, problems: await validation.validate(source) };
  }

  /** Everything that is wrong with a draft, and what no model decides: who gets a key, what runs, what needs no consent. */
  async #findDraftProblems(
    id: string,
    text: string,
    validation: AgentValidation,
  ): Promise<string[]> {
    if (INVISIBLE.test(text)) return ["The file holds invisible control characters"];
    const parsed = await this.#parse(id, text);
    if ("diagnostics" in parsed) return errorsOf(parsed.diagnostics).map(toSentence);
    const written = parsed.document.value;
    const { model } = written;
    const forbidden = [
      ...PERSONAL_FIELDS.filter((field) => written[field] != null),
      ...PERSONAL_MODEL_FIELDS.filter((field) => isJsonObject(model) && model[field] != null)
        .map((field) => `model.${field}`),
    ];
    if (forbidden.length > 0) {
      return forbidden.map((field) => `Leave ${field} out: a person decides about it`);
    }
    return errorsOf(await validation.validate(this.#source(id, text))).map(toSentence);
  }

  async #openModel(): Promise<Model> {
    const { config, directories, environment } = this.#settings;
    const clock = this.#clock;
    const log = { write: () => {} };
    const model = await resolveModel(this.#defaultModel(), {
      environment,
      environmentFile: directories.workspaceEnvFile,
      clock,
      pinKeys: config.pinKeys,
      log,
    });
    return withRetry(model, { clock, timeoutMs: config.defaults.timeout * 1_000, log });
  }

  #defaultModel(): Parameters<typeof resolveModel>[0] {
    const { provider, model: name, baseUrl } = this.#settings.config.defaults;
    if (provider === undefined || name === undefined) return undefined;
    return { provider, name, ...(baseUrl !== undefined && { baseUrl }), streamUsage: true };
  }

  #parse(id: string, text: string): ReturnType<typeof parseAgent> {
    return parseAgent(this.#source(id, text), this.#settings);
  }

  #source(id: string, text: string): { path: string; bytes: Uint8Array } {
    const path = join(this.#settings.directories.agentsDir, `${normalizeId(id)}.md`);
    return { path, bytes: new TextEncoder().encode(text) };
  }
}

function errorsOf(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

function toSentence({ line, message }: Diagnostic): string {
  return `Line ${line}: ${message}`;
}

/** The name of the file that an id has already, in whatever spelling. */
async function findFile(agentsDir: string, id: string): Promise<string | undefined> {
  const wanted = normalizeId(id);
  try {
    for await (const { name } of Deno.readDir(agentsDir)) {
      if (name.endsWith(".md") && idOfFileName(name) === wanted) return name;
    }
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new AgentNotSaved(`Cannot look into ${agentsDir}: ${unreadableReason(error)}`, {
      cause: error,
    });
  }
}
