// A watcher in a process of its own, to be killed: follows one folder, takes each change into an execution of the real
// store, and lets that go on for a moment.
import { join } from "node:path";
import { SystemClock } from "../../../../base/clock.ts";
import { EventBus } from "../../../../runtime/events/bus.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { createInfoFrame } from "../../../../runtime/executions/runs/acceptance.ts";
import { SqlAcceptanceStore } from "../../../../runtime/storage/executions/acceptance.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { openInstance } from "../../../../runtime/storage/instances.ts";
import { SqlWatchStore } from "../../../../runtime/storage/watches.ts";
import type { StartRun } from "../../../../runtime/triggers/fire.ts";
import { FolderWatches } from "../../../../runtime/folders/folder_watches.ts";
import { OwnWrites } from "../../../../runtime/triggers/watch/own_writes.ts";
import { Watcher } from "../../../../runtime/triggers/watch/watcher.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { createTestAgent } from "../../../support/test_agent.ts";

const [root = "", runMs = ""] = Deno.args;
const workspace = join(root, "work");
const clock = new SystemClock();
const log = new LogLines();
const events = new EventBus(log);
const db = SqliteDatabase.open(join(root, "inkling.db"));
const instanceId = crypto.randomUUID();
await db.change(
  "power",
  () => openInstance({ id: instanceId, pid: Deno.pid, startedAt: clock.now() }),
);
const acceptances = new SqlAcceptanceStore(db, instanceId);
const redactor = new Redactor(() => []);

const start: StartRun = async (agent, fire) => {
  if (fire.type !== "watch") throw new TypeError("Nothing else fires here");
  const accepted = await acceptances.acceptExecution({
    agentId: agent.id,
    displayName: agent.displayName,
    trigger: "watch",
    parentExecutionId: null,
    parentPosition: null,
    depth: 0,
    sessionId: null,
    request: { args: [fire.path] },
    model: "test/none",
    startedAt: clock.now(),
  }, {
    unlessWaiting: false,
    claim: { type: "change", path: fire.path },
    frames: (fresh) => [createInfoFrame(fresh, { redactor, at: clock.now() })],
  });
  if ("refused" in accepted) return { outcome: accepted.refused };
  const { id } = accepted.execution;
  void clock.sleep(Number(runMs)).then(() =>
    events.publish({
      type: "execution_completed",
      executionId: id,
      agentId: agent.id,
      displayName: agent.displayName,
      status: "success",
      durationMs: 0,
    })
  );
  return { outcome: "started", executionId: id };
};

const watcher = new Watcher({
  store: new SqlWatchStore(db),
  start,
  isPaused: () => Promise.resolve(false),
  clock,
  log,
  events,
  ownWrites: new OwnWrites(),
  directories: {
    workspace,
    agentsDir: join(workspace, "agents"),
    configDir: join(root, "config"),
    stateDir: join(root, "state"),
  },
  home: root,
  folders: new FolderWatches({ clock, log, probeFolder: join(root, "state/watch") }),
});
const agent = createTestAgent({
  id: "keen",
  trigger: {
    type: "watch",
    paths: ["inbox"],
    filters: { include: [], exclude: [] },
    debounceMs: 20,
    maxRuns: 200,
    catchUp: "once",
  },
});
await watcher.reconcile([agent], { isUnreadable: () => false });
watcher.start();
console.log("ready");
