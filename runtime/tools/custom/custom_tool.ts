// The types for authors of custom tools. The file imports nothing, so that you can copy it into the folder of your tools.

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * A tool of your own: a file `<name>.ts` or `<name>.js` in `agents/_config/tools`, listed in an agent's `tools`. A file
 * exports one or several tools, by name or as default. It may import `node:` modules and, by relative path, files of the
 * tools folder, but no packages.
 *
 * Each call runs in a process of its own, in a worker that can read and write only the agent's paths. It can start no
 * programs and load no native code. It can use the network and variables only as `permissions` allows. Nothing stays in
 * memory from one call to the next.
 *
 * A folder may contain something closed to agents: the agents folder, an `.env` file, or a symbolic link that points
 * outside or contains `..`. A tool reaches the other entries of such a folder, but can create nothing in it. For an agent
 * without `paths`, the workspace folder itself is such a folder: give the agent `paths` in which its tools can create
 * files.
 */
export interface CustomTool<Args = Record<string, Json>> {
  /**
   * The name for the model: at most 64 letters, digits, `_` and `-`. Default: the name of the export, or the name of the
   * file for a default export.
   */
  name?: string;
  /** A description for the model: the effect of the tool, when to use it, and its result. */
  description: string;
  /**
   * The JSON schema of the arguments: `{ type: "object", properties: …, required: … }`. A call with invalid arguments never
   * reaches `run`. Unknown arguments are refused unless the schema contains `additionalProperties`.
   */
  parameters?: { [key: string]: Json };
  /**
   * Performs a call and returns its result. A string is shown to the model unchanged, any other value as JSON. The message
   * of a thrown error is shown to the model.
   */
  run(args: Args, context: ToolRunContext): unknown;
  /** The permissions in addition to the agent's paths. */
  permissions?: {
    /** The hosts that the tool may connect to: `"api.example.com"`, `"api.example.com:8443"`, `"10.0.0.7:80"`. */
    net?: string[];
    /**
     * The variables that the tool may read, from the environment files or the shell. Keys of model providers are never
     * available.
     */
    env?: string[];
  };
  /**
   * The effect of repeating a call. After a crash of the service, a call without a result runs again if its effect is
   * `read` or `idempotent` (a second call changes nothing more). An `unsafe` call never runs twice. Default: `unsafe`.
   */
  effect?: "read" | "idempotent" | "unsafe";
  /** The time limit of one call in seconds, at most 600. Default: 60. */
  timeout?: number;
}

/** The second argument of `run`: facts about the call, and functions for it. */
export interface ToolRunContext {
  /** Aborts when the run is cancelled or the time limit is over. The process is killed one second later. */
  signal: AbortSignal;
  /** The id of the agent that calls the tool. */
  agentId: string;
  /** The number of the execution that calls the tool. */
  executionId: number;
  /** The absolute path of the workspace, which is also the working folder. */
  workspace: string;
  /** The agent's absolute paths by their aliases. Always contains `workspace`. */
  paths: Record<string, string>;
  /**
   * Converts a path that the model wrote (`{alias}/a.txt`, `~/a.txt`, `notes/a.txt`) to an absolute path. Rejects if the
   * agent may not use the path. Call it for each path in the arguments.
   */
  resolvePath(text: string, access?: "read" | "write"): Promise<string>;
  /**
   * Asks a person to approve or deny. Resolves to false also if nobody answers in time.
   *
   * These rules apply to `confirm`, `ask` and `choose`: the run waits for the answer, for days if necessary and across
   * restarts. Meanwhile no state of the call is kept. After the answer, `run` is called again from its beginning with the
   * same arguments, and each answered question resolves at once. So everything that `run` does before a question is
   * repeated: ask before you change anything, and ask the same questions in the same order each time. A question whose text
   * or options have changed is asked again. A call fails if one of its questions changes more than three times.
   */
  confirm(message: string): Promise<boolean>;
  /** Asks a person for a text. Rejects if nobody answers in time. The rules of questions are at `confirm`. */
  ask(question: string): Promise<string>;
  /**
   * Asks a person to choose one of `options`, or any number of them if `multi` is true. Resolves to the chosen options.
   * Rejects if nobody answers in time. The rules of questions are at `confirm`.
   */
  choose(question: string, options: string[], settings?: { multi?: boolean }): Promise<string[]>;
  /** Writes a line to the service log. Lines that the tool prints are also logged. */
  log(text: string): void;
}
