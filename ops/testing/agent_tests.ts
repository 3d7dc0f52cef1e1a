// The operations behind `inkling test`: plays the case files of a workspace, records a finished run as a case, and plays
// cases again when a file changes.
import { basename, dirname, join } from "../../base/plain_path.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { inParallel } from "../../base/in_parallel.ts";
import { describeBadName } from "../../runtime/agents/agent_id.ts";
import { FolderWatches } from "../../runtime/folders/folder_watches.ts";
import type { RecordedRun } from "../../runtime/executions/record/recorded_run.ts";
import { isFinal } from "../../runtime/executions/states.ts";
import { SILENT } from "../../runtime/replay/played_ports.ts";
import { SqlRecordedRunStore } from "../../runtime/storage/executions/recorded_runs.ts";
import { openReadOnlyStorage } from "../../runtime/wiring/open_storage.ts";
import {
  type CaseFile,
  findCaseFiles,
  parseCase,
  readCaseFile,
  testsFolder,
} from "./case_files.ts";
import { checkCase } from "./check_case.ts";
import { CASES_AT_ONCE, type LiveModel, playCase } from "./play_case.ts";
import { type LiveTrial, openTrial, type TrialRequest } from "./live_trial.ts";
import { createCase, formatCase, withExpectations } from "./record_case.ts";
import type { TestCase } from "./test_case.ts";
import { type PlayableCase, type TestResult, toUnplayedResult } from "./test_result.ts";
import { openTestPorts, type TestPorts } from "./test_ports.ts";
import { makeFolder } from "./private_workspace.ts";
import { InputUnusable, NotRecordable, RunMissing } from "./refusals.ts";
import type { PlayedRun } from "./played_run.ts";

/** The methods of AgentTests that the command line uses. */
export type AgentTesting =
  & Pick<AgentTests, "agentIds" | "folder" | "find" | "openTrial" | "record" | "run" | "watch">
  & AsyncDisposable;

/** Finds, plays and records the cases of one workspace. Must be disposed. */
export class AgentTests implements AsyncDisposable {
  readonly ports: TestPorts;

  private constructor(ports: TestPorts) {
    this.ports = ports;
  }

  static async open(...options: Parameters<typeof openTestPorts>): Promise<AgentTests> {
    return new AgentTests(await openTestPorts(...options));
  }

  /** The folder of the case files. */
  get folder(): string {
    return testsFolder(this.ports.settings.directories.agentsDir);
  }

  /** Returns the ids of all agents. */
  agentIds(): string[] {
    return this.ports.registry.list().map(({ id }) => id);
  }

  /** Reads and plays the cases of all agents or of one agent. Returns the results sorted by name. */
  async run(agentId?: string): Promise<TestResult[]> {
    return await inParallel(await this.find(agentId), {
      size: CASES_AT_ONCE,
      work: async (file) => {
        const read = await this.read(file);
        return "problems" in read ? { ...toUnplayedResult(file), ...read } : await this.play(read);
      },
    });
  }

  /** Reloads the agents and returns the case files of all agents or of one agent. */
  async find(agentId?: string): Promise<CaseFile[]> {
    await this.ports.registry.load();
    return await findCaseFiles(this.ports.settings.directories.agentsDir, agentId);
  }

  /** Reads a case and its agent. Returns the problems of the case, or else of the agent, if there are any. */
  async read(file: CaseFile): Promise<PlayableCase | { problems: Diagnostic[] }> {
    const { registry, settings: { directories } } = this.ports;
    const read = await readCaseFile(file.path, directories);
    if ("diagnostics" in read) return { problems: read.diagnostics };
    const agent = registry.get(file.agentId);
    if (agent === undefined) {
      const broken = registry.unreadableProblem(file.agentId);
      const missing = errorAtStart(file.path, `There is no agent ${JSON.stringify(file.agentId)}`);
      return { problems: [broken ?? missing] };
    }
    // The registry keeps the last valid definition of an agent with a broken file. That definition is not tested.
    const errors = agent.warnings.filter(({ severity }) => severity === "error");
    return errors.length > 0 ? { problems: errors } : { file, test: read.test, agent };
  }

  /** Opens a trial of cases with real models. Calls no model yet. */
  async openTrial(request: TrialRequest): Promise<LiveTrial> {
    return await openTrial(request, this);
  }

  /** Plays one case and checks its expectations. */
  async play(
    { file, test, agent, ownAgent = agent }: PlayableCase,
    live?: LiveModel,
  ): Promise<TestResult> {
    const ports = this.ports;
    const { clock } = ports;
    const startedAt = clock.now();
    let run: PlayedRun;
    try {
      run = await playCase(test, { agent, ports, ...(live && { live }) });
    } catch (error) {
      if (!(error instanceof InputUnusable)) throw error;
      return { ...toUnplayedResult(file), problems: [errorAtStart(file.path, error.message)] };
    }
    const models = live && { models: live };
    return {
      ...toUnplayedResult(file),
      ...await checkCase(test, run, { agent: ownAgent, ports, ...models }),
      steps: run.steps,
      durationMs: clock.now() - startedAt,
    };
  }

  /**
   * Writes a passing case for a finished execution and returns the case file's path. Throws NotRecordable if the execution
   * cannot become a case, or another case file has this name and a different text.
   */
  async record(id: number, { name = `run-${id}` }: { name?: string } = {}): Promise<string> {
    const { settings, redactor, registry } = this.ports;
    const { directories: { agentsDir, workspace }, home } = settings;
    const bad = describeBadName(name);
    if (bad !== undefined) throw new NotRecordable(`The name of the case ${bad}`);
    const run = await this.#readRun(id);
    const { execution: { agentId, status }, output } = run;
    if (!isFinal(status)) throw new NotRecordable(`Execution ${id} has not ended`);
    if (run.messages.length === 0) {
      throw new NotRecordable(`The conversation of execution ${id} is not stored any longer`);
    }
    await registry.load();
    const agent = registry.get(agentId);
    if (agent === undefined) throw new NotRecordable(`There is no agent ${agentId} any more`);
    const path = join(testsFolder(agentsDir), agentId, `${name}.yaml`);
    const bare = redactor.redactValue(createCase(run, { workspace, home }));
    const played = await playCase(toCase(formatCase(bare), path), { agent, ports: this.ports });
    if (played.gap !== undefined || played.status !== status || played.output !== output) {
      const ends = [played.status, played.error].filter((part) => part !== null).join(": ");
      throw new NotRecordable(
        `No case can be made of execution ${id}: it ended as ${status}, and played again ` +
          `it ends otherwise: ${played.gap ?? ends}`,
      );
    }
    const text = formatCase(withExpectations(bare, played));
    toCase(text, path);
    await writeNew(path, text);
    return path;
  }

  /** Calls `changed` after changes of agent files or case files, until the signal aborts. */
  async watch(changed: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { settings: { directories: { agentsDir } }, clock } = this.ports;
    const probeFolder = await makeFolder("inkling-watch-", this.ports.settings);
    await using _probe = {
      [Symbol.asyncDispose]: () => Deno.remove(probeFolder, { recursive: true }),
    };
    await using folders = new FolderWatches({ clock, log: SILENT, probeFolder });
    let next = Promise.withResolvers<void>();
    const wake = () => next.resolve();
    signal.addEventListener("abort", wake);
    await folders.watch({ folder: agentsDir, recursive: true }, {
      changed: (paths) => {
        if (paths.some((path) => /\.(md|ya?ml)$/.test(basename(path)))) wake();
      },
      uncertain: () => Promise.resolve(),
    });
    while (!signal.aborted) {
      await next.promise;
      // One save of an editor causes several events. The events during this pause lead to a single call.
      await clock.sleep(QUIET_MS);
      next = Promise.withResolvers<void>();
      if (!signal.aborted) await changed();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ports[Symbol.asyncDispose]();
  }

  async #readRun(id: number): Promise<RecordedRun> {
    const { settings, clock } = this.ports;
    await using resources = new AsyncDisposableStack();
    const { db } = await openReadOnlyStorage(settings, { clock, resources });
    const run = await new SqlRecordedRunStore(db).readRecordedRun(id);
    if (run === undefined) {
      throw new RunMissing(`There is no execution ${id}. "inkling logs" lists the last ones`);
    }
    return run;
  }
}

const QUIET_MS = 150;

function toCase(text: string, path: string): TestCase {
  const parsed = parseCase(text, path);
  if ("test" in parsed) return parsed.test;
  throw new TypeError(`A recorded case is broken: ${JSON.stringify(parsed.diagnostics)}`);
}

async function writeNew(path: string, text: string): Promise<void> {
  const before = await Deno.readTextFile(path).catch(ignoreMissing);
  if (before === text) return;
  if (before !== undefined) {
    throw new NotRecordable(
      `${path} is there already: choose another name with --as, or delete it`,
    );
  }
  await Deno.mkdir(dirname(path), { recursive: true });
  await writeFileAtomically(path, text);
}
