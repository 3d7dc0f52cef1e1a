// The contract of custom tools, for their authors. It imports nothing: copy it into the folder of your tools.

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * A tool of your own: a file `<name>.ts` or `<name>.js` in `agents/_config/tools`, named in an agent's `tools`. Export one
 * or several, by name or as default. The file may import `node:` modules and, by relative path, files of the tools folder;
 * no packages.
 *
 * Each call runs in a process of its own, in a worker that can read and write only the agent's paths: no programs, no
 * native code, and network and variables only as `permissions` allows. Nothing stays in memory from one call to the next.
 *
 * A folder may contain something closed to agents: the agents folder, an `.env` file, or a symbolic link that points
 * outside or contains `..`. A tool reaches the other entries of such a folder and can create nothing in it. For an agent
 * without `paths` the workspace's top is such a folder. Give it `paths` where its tools must create files.
 */
export interface CustomTool<Args = Record<string, Json>> {
  /**
   * The name for the model: letters, digits, `_` and `-`, at most 64. Absent: the export's name; for a default export the
   * file's.
   */
  name?: string;
  /** Describes for the model the effect of the tool, when to use it, and the result. */
  description: string;
  /**
   * A JSON schema of the arguments: `{ type: "object", properties: …, required: … }`. A call with invalid arguments never
   * reaches `run`. Arguments that it does not name are refused unless it contains `additionalProperties`.
   */
  parameters?: { [key: string]: Json };
  /** Does the work. The model reads a string as it is, and other results as JSON. Thrown errors are shown to the model. */
  run(args: Args, context: ToolRunContext): unknown;
  /** The permissions beyond the agent's paths. */
  permissions?: {
    /** Hosts to connect to: `"api.example.com"`, `"api.example.com:8443"`, `"10.0.0.7:80"`. */
    net?: string[];
    /** Readable variables from the environment files or the shell. Keys of model providers are never available. */
    env?: string[];
  };
  /**
   * The effect of repeating a call. After a crash of the service a call without a result runs again if it is `read` or
   * `idempotent` (doing it twice is the same as doing it once). Other calls never run twice. Absent: `unsafe`.
   */
  effect?: "read" | "idempotent" | "unsafe";
  /** The time limit of one call in seconds, at most 600. Absent: 60. */
  timeout?: number;
}

/** The second argument of a running tool. */
export interface ToolRunContext {
  /** Aborts when the run is cancelled or its time is over. The process is killed a second later. */
  signal: AbortSignal;
  /** Id of the calling agent. */
  agentId: string;
  /** Id of its execution. */
  executionId: number;
  /** Absolute path of the workspace; also the working folder. */
  workspace: string;
  /** The agent's paths by alias, absolute. Always contains `workspace`. */
  paths: Record<string, string>;
  /**
   * Resolves a path that the model wrote (`{alias}/a.txt`, `~/a.txt`, `notes/a.txt`) to an absolute path. Rejects a path
   * that the agent may not reach: use it for each path among the arguments.
   */
  resolvePath(text: string, access?: "read" | "write"): Promise<string>;
  /**
   * Asks a person for a yes or a no. Also resolves to false when nobody answers in time.
   *
   * This holds for all three kinds of questions: the run waits for the answer, for days if need be and across restarts.
   * Nothing of the call is kept meanwhile. With the answer, `run` is called again from its beginning with the same
   * arguments, and each answered question resolves at once. So ask before you change anything, and ask the same questions
   * in the same order each time: everything that `run` does before a question is repeated. A question whose text or options
   * have changed is asked again; a call with a question that changes more than three times fails.
   */
  confirm(message: string): Promise<boolean>;
  /** Asks a person for a text. Rejects when nobody answers in time. See `confirm` for the rules of questions. */
  ask(question: string): Promise<string>;
  /**
   * Lets a person choose one of `options`, or with `multi` any number of them. Resolves to the chosen ones. Rejects when
   * nobody answers in time. See `confirm` for the rules of questions.
   */
  choose(question: string, options: string[], settings?: { multi?: boolean }): Promise<string[]>;
  /** Writes a line to the service log. Printed lines are logged, too. */
  log(text: string): void;
}
