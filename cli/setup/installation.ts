// What `setup` needs of the program around it: see CliApp. Paths in what it gives are absolute.

/** Bounds of a run, named as in config.yaml. */
export type LimitName =
  | "timeout"
  | "max_tool_calls"
  | "max_execution_tokens"
  | "max_cost_usd"
  | "max_tokens"
  | "temperature";

/** A model as it was chosen. */
export interface ModelChoice {
  provider: string;
  model: string;
  baseUrl?: string;
}

/** What is to be written. Absent: left as it is, or as it is by default. */
export interface SetupChoices {
  /** As typed. */
  workspace?: string;
  model?: ModelChoice;
  /** As typed: numbers, or `none`. */
  limits?: Partial<Record<LimitName, string>>;
  /** The model's key. */
  apiKey?: string;
}

/** What is set up now. */
export interface SetupState {
  configFile: string;
  configFileExists: boolean;
  /** As config.yaml has it, else the default. */
  workspace: string;
  provider: string | undefined;
  model: string | undefined;
  baseUrl: string | undefined;
  /** In effect, as one would type them. */
  limits: Record<LimitName, string>;
  providers: {
    name: string;
    /** Empty where none can be suggested. */
    suggestedModel: string;
    /** Null: it needs no key. */
    keyVariable: string | null;
    hasKey: boolean;
  }[];
}

/** Where a model's key is. */
export interface KeyState {
  /** Null: no key is ever used. */
  variable: string | null;
  required: boolean;
  /** The file that holds it, `the environment`, or undefined where it is nowhere. */
  source: string | undefined;
  /** The host that a named provider's key would go to although it is not that provider's. */
  foreignHost: string | null;
}

/** What was written, and where. */
export interface SetupResult {
  workspace: string;
  agentsDir: string;
  files: { path: string; change: "created" | "updated" | "unchanged" }[];
  /** The agent that was made because there was none. */
  sampleAgentId: string | undefined;
  /** The workspace of before, where it has a history that stays in place and is the new one's now. */
  formerWorkspace: string | undefined;
}

/** config.yaml, the workspace's folders and the file with the keys. */
export interface Installation {
  /** What is set up, with keys as `workspace` (default: config.yaml's) has them. */
  read(workspace?: string): Promise<SetupState>;
  /** What is wrong with the choices, as a sentence. */
  describeProblem(choices: SetupChoices): Promise<string | undefined>;
  key(model: ModelChoice, workspace: string): Promise<KeyState>;
  /** Has the model answer once; throws an Error that says in the provider's words why it did not. */
  tryModel(choices: SetupChoices & { model: ModelChoice }, signal: AbortSignal): Promise<void>;
  /** Writes everything, each file as a whole. */
  write(choices: SetupChoices): Promise<SetupResult>;
}
