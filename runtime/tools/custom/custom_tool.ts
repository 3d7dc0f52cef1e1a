// The contract of custom tools, for their authors. It imports nothing: copy it into the folder of your tools.

/** A value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * A tool of your own: a file `<name>.ts` or `<name>.js` in `agents/_config/tools`, named in an agent's `tools`. Export
 * one or several, by name or as default. The file may import `node:` modules and, by relative path, files of the tools
 * folder; no packages.
 *
 * Each call runs in a process of its own, in a worker that can read and write the agent's paths and nothing else: no
 * programs, no native code, and network and variables only as `permissions` says. Nothing stays in memory from one call
 * to the next.
 *
 * In a folder with something closed to agents (the agents folder, an `.env` file, a symbolic link that leads out or has
 * `..` in it), a tool reaches the rest of what is there and can create nothing. An agent without `paths` has such a
 * folder: the workspace's top. Give it `paths` where its tools are to create files.
 */
export interface CustomTool<Args = Record<string, Json>> {
  /**
   * What the model calls it: letters, digits, `_` and `-`, at most 64. Absent: the export's name; for a default export the
   * file's.
   */
  name?: string;
  /** Tells the model what it does, when to use it, and what comes back. */
  description: string;
  /**
   * A JSON schema of the arguments: `{ type: "object", properties: …, required: … }`. A call whose arguments do not fit
   * never reaches `run`. Arguments it does not name are refused unless it says `additionalProperties`.
   */
  parameters?: { [key: string]: Json };
  /**
   * Does the work. A string is what the model reads; anything else is shown to it as JSON. What it throws is an error
   * that the model reads.
   */
  run(args: Args, context: ToolRunContext): unknown;
  /** What it needs beyond the agent's paths. */
  permissions?: {
    /** Hosts it may connect to: `"api.example.com"`, `"api.example.com:8443"`, `"10.0.0.7:80"`. */
    net?: string[];
    /** Variables of the environment files or the shell it may read. Keys of model providers are never available. */
    env?: string[];
  };
  /**
   * What repeating a call does. After a crash of the service a call of unknown outcome runs again if it only reads
   * (`read`) or if doing it twice is the same as doing it once (`idempotent`); otherwise it never runs twice. Absent: `unsafe`.
   */
  effect?: "read" | "idempotent" | "unsafe";
  /** Seconds that one call may take, at most 600. Absent: 60. */
  timeout?: number;
}

/** What a running tool is given in addition to its arguments. */
export interface ToolRunContext {
  /** Aborts when the run is cancelled or its time is over. A second later the process is ended. */
  signal: AbortSignal;
  /** Id of the agent that calls. */
  agentId: string;
  /** Id of its execution. */
  executionId: number;
  /** Absolute path of the workspace; also the working folder. */
  workspace: string;
  /** The agent's paths by alias, absolute. `workspace` is always among them. */
  paths: Record<string, string>;
  /**
   * The absolute path that a text of the model means (`{alias}/a.txt`, `~/a.txt`, `notes/a.txt`). Rejects where the
   * agent may not go: use it for each path among the arguments.
   */
  resolvePath(text: string, access?: "read" | "write"): Promise<string>;
  /**
   * Asks a person for a yes or a no; false also when nobody answers in time.
   *
   * For all three kinds of question: the run waits for the answer, for days if need be and across restarts. Nothing of
   * the call is kept meanwhile: once there is an answer, `run` is called again from its beginning with the same
   * arguments, and each question that has an answer gets it at once. So ask before you change anything, and ask the same
   * questions in the same order each time: what `run` does before it asks is done again. A question whose text or options
   * have changed since is asked again; a call with a question that changes more than three times fails.
   */
  confirm(message: string): Promise<boolean>;
  /** Asks a person for a text. Rejects when nobody answers in time. See `confirm` for what asking means. */
  ask(question: string): Promise<string>;
  /**
   * Lets a person choose among `options`; with `multi` any number of them. Resolves to what was chosen. Rejects when
   * nobody answers in time. See `confirm` for what asking means.
   */
  choose(question: string, options: string[], settings?: { multi?: boolean }): Promise<string[]>;
  /** Writes a line into the service log, as what the tool prints does. */
  log(text: string): void;
}
