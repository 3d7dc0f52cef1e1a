// Defines the operations on the files that people write: agents, skills, config.yaml and mcp-servers.json.
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { Caller } from "../vocabulary/callers.ts";
import type { Person } from "../vocabulary/persons.ts";

/** A file that people write. The file of a skill is its SKILL.md. */
export type FilePlace =
  | { kind: "agent" | "skill"; id: string }
  | { kind: "config" }
  | { kind: "mcp" };

/** A file as a person edits it. */
export interface EditedFile {
  path: string;
  /** The text. A placeholder is in the place of each secret. */
  text: string;
  /** The version of the file's bytes. Null if the file does not exist. */
  version: string | null;
  /** The problems of the text. */
  diagnostics: readonly Diagnostic[];
}

/** A new text of a file. */
export interface FileChange {
  text: string;
  /** The version that the person has read. Null for a new file. */
  version: string | null;
  /** True to write a text with errors, too. */
  allowErrors: boolean;
  /** The agent of the gallery whose test cases and files a new agent gets. */
  fromGallery?: string | undefined;
  by: Caller | undefined;
}

/** A renamed agent. */
export interface RenamedAgent {
  id: string;
  path: string;
  /** Sentences about everything that stays with the old id. */
  stays: string[];
}

/** The files beside an agent's file, without secrets. */
export interface AgentCompanions {
  /** The memory. Null if the agent has none. */
  memory: { path: string; text: string } | null;
  /** The test cases that `inkling test` runs. */
  tests: { name: string; path: string; text: string }[];
}

/** A name that an editor completes, with its description. */
export interface KnownName {
  name: string;
  description?: string | undefined;
}

/** A variable that files may name, or the key of a provider. */
export interface KnownVariable {
  name: string;
  isSet: boolean;
  /** The provider whose key this is. */
  provider?: string | undefined;
}

/** The names and texts that an editor completes. */
export interface EditorFacts {
  /** The JSON Schemas of the files. */
  schemas: Readonly<Record<"agent" | "config" | "mcp", unknown>>;
  tools: KnownName[];
  skills: string[];
  servers: string[];
  variables: KnownVariable[];
  /** The agents of the gallery, with the texts of their files. */
  gallery: (KnownName & { text: string })[];
}

/** The checks and facts of files that need more than the runtime. The program gives them to the service. */
export interface Authoring {
  /** Returns all problems of an agent file, which need not exist on disk. */
  validate(source: { path: string; bytes: Uint8Array }): Promise<Diagnostic[]>;
  /** Copies the test cases and files of an agent of the gallery. Returns the paths of the new files. */
  copyFiles(name: string, id: string): Promise<string[]>;
  facts(): Promise<EditorFacts>;
  /** Returns the names and paths of an agent's test cases. */
  findTests(agentId: string): Promise<{ name: string; path: string }[]>;
}

/** Reads and changes the files that people write, and reads the files of agents. Changes run one at a time. */
export interface WorkspaceFiles {
  /**
   * Returns a file. A missing config.yaml or mcp-servers.json is empty. With `before`, the text is the one before the audit
   * record with this id, and the version is the present one. Throws AgentNotFound and FileUnusable.
   */
  read(place: FilePlace, options?: { before?: number | undefined }): Promise<EditedFile>;
  /**
   * Writes a text, in which the placeholders of secrets are replaced. Returns the errors of a text that was not written.
   * Throws FileOutdated if the file has another version, and FileUnusable.
   */
  save(place: FilePlace, change: FileChange): Promise<EditedFile | { errors: Diagnostic[] }>;
  /** Returns the problems of a text that is not saved. */
  check(place: FilePlace, text: string): Promise<readonly Diagnostic[]>;
  /** Returns the memory and the test cases of an agent. Throws AgentNotFound and FileUnusable. */
  companions(id: string): Promise<AgentCompanions>;
  /** Returns a text with the file's secrets in the places of their placeholders. */
  withSecrets(place: FilePlace, text: string): Promise<string>;
  /** Renames the file of an agent, and the folder of its test cases. Throws AgentNotFound and FileUnusable. */
  rename(id: string, change: { to: string; by: Caller | undefined }): Promise<RenamedAgent>;
  /** Writes `enabled` into the file of an agent. Throws AgentNotFound and FileUnusable. */
  enable(id: string, change: { enabled: boolean; by: Caller | undefined }): Promise<EditedFile>;
  /**
   * Removes a person from config.yaml, also as a member of chats. An entry stays that refuses the sign-in and mail of the
   * person. Throws FileUnusable and ConfigNotEditable.
   */
  removePerson(person: Person, change: { by: Caller | undefined }): Promise<void>;
  /** Returns a file that the tools of an agent may read. Throws AgentNotFound and ToolFailure. */
  readForAgent(id: string, path: string, limit: { maxBytes: number }): Promise<Uint8Array>;
  /** Returns the names and texts for editors. Throws FileUnusable in a runtime without them. */
  facts(): Promise<EditorFacts>;
}
