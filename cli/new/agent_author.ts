// What `new` needs of the program around it: see CliApp.
import type { DiagnosticBody } from "../../server/diagnostic_schemas.ts";

/** What somebody says of a new agent, named as in its file. */
export interface NewAgentFields {
  description?: string;
  model?: { provider: string; name: string; base_url?: string };
  trigger?: {
    type: "manual" | "schedule" | "watch";
    every?: string;
    cron?: string;
    paths?: readonly string[];
  };
  paths?: readonly (string | { path: string; description: string })[];
  /** The task. */
  prompt: string;
}

/** What a model is asked to write. */
export interface DraftRequest {
  id: string;
  /** What the agent is to do, in a person's words. */
  description: string;
  /** A draft that is not right yet, and what is to be different. */
  revision?: { text: string; change: string };
}

/** Makes agent files in one workspace. */
export interface AgentAuthor {
  /** Why no agent of this id can be made, as a sentence. */
  describeBadId(id: string): Promise<string | undefined>;
  /** The model that can write a file; undefined where none is configured or its key is missing. */
  drafter(): string | undefined;
  /** Has it write one. `failure` is the end of a sentence. Rejects with the signal's reason. */
  draft(
    request: DraftRequest,
    signal: AbortSignal,
  ): Promise<{ text: string } | { failure: string }>;
  /** The file's text for these fields. */
  format(fields: NewAgentFields): string;
  /** Why these fields are no agent, as sentences. */
  findProblems(id: string, fields: NewAgentFields): Promise<string[]>;
  /** Writes the file, unless one is there, and tells what is odd about it and around it. */
  save(
    id: string,
    text: string,
  ): Promise<{ path: string; problems: Omit<DiagnosticBody, "hint">[] }>;
}
