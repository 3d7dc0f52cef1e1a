// The guards that keep the promises, each with the change that takes it away, and the tests that must notice.

/** A guard, taken away by one change of a text. */
export interface Mutation {
  guard: string;
  file: string;
  /** Stands exactly once in the file. */
  find: string;
  replace: string;
  /** At least one test in these must fail. */
  tests: readonly string[];
}

export const MUTATIONS: readonly Mutation[] = [
  {
    guard: "a slot starts at most one run",
    file: "runtime/storage/acceptance.ts",
    find: 'if (isSlotTaken(db, agentId, claim.scheduledFor)) return "claimed";',
    replace: "",
    tests: ["tests/storage", "tests/triggers"],
  },
  {
    guard: "a schedule does not overlap itself",
    file: "runtime/storage/acceptance.ts",
    find: 'if (isScheduleRunning(db, agentId)) return "running";',
    replace: "",
    tests: ["tests/triggers/triggers_test.ts"],
  },
  {
    guard: "a changed file runs once",
    file: "runtime/storage/acceptance.ts",
    find: '!takeQueued(db, agentId, claim.path)) return "claimed"',
    replace: 'takeQueued(db, agentId, claim.path) && false) return "claimed"',
    tests: ["tests/triggers", "tests/storage"],
  },
  {
    guard: "the intent of an unsafe call is stored before it begins",
    file: "runtime/executions/perform_call.ts",
    find: "await run.journal.startCall(call, effect);",
    replace: "",
    tests: ["tests/executions"],
  },
  {
    guard: "an unsafe call of unknown outcome is not repeated",
    file: "runtime/executions/prepare_call.ts",
    find: '?.startedAt != null && effect === "unsafe"',
    replace: '?.startedAt != null && effect === "never"',
    tests: ["tests/executions", "tests/e2e/crash_test.ts"],
  },
  {
    guard: "a call of a parent starts at most one child",
    file: "runtime/executions/delegation.ts",
    find: "await families.findChild(parent.id, call.position) ??",
    replace: "undefined ??",
    tests: ["tests/executions"],
  },
  {
    guard: "what an agent wrote itself does not fire it",
    file: "runtime/triggers/agent_follower.ts",
    find: "event === undefined || await ownWrites.isOwn(agent.id, path)",
    replace: "event === undefined",
    tests: ["tests/triggers"],
  },
  {
    guard: "of several answers one counts",
    file: "runtime/storage/request_rows.ts",
    find: '"WHERE execution_id = ? AND request_id = ? AND answered_at IS NULL",',
    replace: '"WHERE execution_id = ? AND request_id = ?",',
    tests: ["tests/executions", "tests/server", "tests/storage"],
  },
  {
    guard: "a paused scheduler starts nothing",
    file: "runtime/triggers/pause.ts",
    find: '=== "paused" ? "paused" : "running"',
    replace: '=== "paused" ? "running" : "running"',
    tests: ["tests/triggers"],
  },
  {
    guard: "an opened file is the one that was allowed",
    file: "runtime/tools/opened_file.ts",
    find: "if (!isAt(resolved.path, identityOf(info))) throw new PlaceChanged();",
    replace: "",
    tests: [
      "tests/tools/sandbox_escape_test.ts",
      "tests/tools/path_sandbox_test.ts",
      "tests/tools/builtin",
    ],
  },
  {
    guard: "environment files are closed",
    file: "runtime/tools/closed_places.ts",
    find: "if (absolute.split(sep).some(isEnvFileName)) {",
    replace: "if (absolute === null) {",
    tests: ["tests/tools"],
  },
  {
    guard: "TCP needs the key",
    file: "server/middleware/api_key.ts",
    find: "return difference === 0;",
    replace: "return given.length > 0;",
    tests: ["tests/server"],
  },
  {
    guard: "a foreign Host is refused",
    file: "server/middleware/host_check.ts",
    find: "throw new RequestRefused(421",
    replace: "if (c === null) throw new RequestRefused(421",
    tests: ["tests/server"],
  },
  {
    guard: "each result is logged once",
    file: "runtime/storage/conversation_rows.ts",
    find: 'options.unlogged ? " AND c.frame_id IS NULL" : ""',
    replace: 'options.unlogged ? "" : ""',
    tests: ["tests/executions"],
  },
  {
    guard: "an execution ends once",
    file: "runtime/storage/endings.ts",
    find: "`WHERE id = ? AND status = ? RETURNING ${EXECUTION_COLUMNS}`,",
    replace: "`WHERE id = ? AND ? IS NOT NULL RETURNING ${EXECUTION_COLUMNS}`,",
    tests: ["tests/storage", "tests/executions"],
  },
  {
    guard: "secrets are redacted",
    file: "runtime/secrets/redactor.ts",
    find: "return redactText(text, this.#secrets());",
    replace: "return text;",
    tests: ["tests/secrets", "tests/e2e/secrets_test.ts"],
  },
  {
    guard: "keys of providers stay out of prompts",
    file: "runtime/prompt/substitute.ts",
    find: "if (options.isWithheld(variable)) {",
    replace: "if (variable === null) {",
    tests: ["tests/prompt", "tests/e2e/secrets_test.ts"],
  },
  {
    guard: "a limit ends a run",
    file: "runtime/executions/loop.ts",
    find: 'if (crossed !== undefined) return { status: "aborted"',
    replace: 'if (crossed === "") return { status: "aborted"',
    tests: ["tests/executions"],
  },
  {
    guard: "a watched path is looked at by one look at a time",
    file: "runtime/triggers/place_scans.ts",
    find: "return this.#working ??= this.#workOff();",
    replace: "return this.#working = this.#workOff();",
    tests: ["tests/triggers/place_scans_test.ts"],
  },
  {
    guard: "an idempotency key stands for one request",
    file: "runtime/executions/runner.ts",
    find: "if (!isSameRun(first, { agent, spec })) throw new IdempotencyKeyReused();",
    replace: "",
    tests: ["tests/executions"],
  },
  {
    guard: "a late module is not asked for without file descriptors",
    file: "runtime/lazy_module.ts",
    find: "if (!isLoaded && !Deno.build.standalone) requireFreeDescriptors(FREE_DESCRIPTORS);",
    replace: "",
    tests: ["tests/lazy_module_test.ts"],
  },
  {
    guard: "an answer goes to the question that was seen",
    file: "runtime/tools/custom/earlier_answers.ts",
    find: "this.#unused.find((one) => isSame(one.question, question));",
    replace: "this.#unused[0];",
    tests: ["tests/tools/custom/questions_test.ts", "tests/tools/custom/run_test.ts"],
  },
  {
    guard: "an answer is refused while its agent cannot be read",
    file: "runtime/executions/human_answers.ts",
    find: "await this.#requireAgents(execution);",
    replace: "",
    tests: ["tests/executions/unreadable_agent_test.ts"],
  },
  {
    guard: "calls of one reply on files keep their order",
    file: "runtime/executions/tool_calls.ts",
    find: "if (turn !== undefined) await untilAborted(turn.come, run.signal);",
    replace: "",
    tests: ["tests/executions/tool_calls_test.ts"],
  },
  {
    guard: "what a person approves is shown whole",
    file: "cli/output/visible_text.ts",
    find: 'return escapeUnseen(text, { keep: "\\n\\t" });',
    replace: "return text;",
    tests: ["tests/cli/output"],
  },
  {
    guard: "what a person approves in the dashboard is shown whole",
    file: "server/dashboard/client/visible_text.ts",
    find: 'return escapeUnseen(text, { keep: "\\n\\t" });',
    replace: "return text;",
    tests: ["tests/server/dashboard/visible_text_test.ts"],
  },
  {
    guard: "a request uses no proxy of the environment",
    file: "runtime/tools/direct_agent.ts",
    find: "const options = { proxyEnv: {} };",
    replace: "const options = {};",
    tests: ["tests/tools/builtin/http_request_proxy_test.ts"],
  },
  {
    guard: "no entry admits the origin null",
    file: "runtime/web_origin.ts",
    find: 'url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin',
    replace: "url.origin",
    tests: ["tests/web_origin_test.ts"],
  },
  {
    guard: "what a service started ends with it",
    file: "runtime/tools/processes/group_watch.ts",
    find: 'kill -9 "-$1"',
    replace: "true",
    tests: ["tests/tools/processes/group_watch_test.ts"],
  },
  {
    guard: "a watch that feeds itself with new names is stopped",
    file: "runtime/triggers/agent_follower.ts",
    find: "await ownWrites.writerOf(path);",
    replace: "undefined;",
    tests: ["tests/triggers/watcher_loops_test.ts", "tests/triggers/triggers_breaker_test.ts"],
  },
];
