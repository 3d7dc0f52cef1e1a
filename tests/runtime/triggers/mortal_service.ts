// A service in its own process, for tests that kill it. On request it kills itself just before or after it accepts a run.
import { loadSettings, openRuntime } from "../../../runtime/mod.ts";
import { SqlAcceptanceStore } from "../../../runtime/storage/executions/acceptance.ts";

/** The settings of the service, passed as JSON on the command line. */
export interface MortalOrder {
  shell: Record<string, string>;
  home: string;
  /**
   * The service kills itself before or after it accepts the nth run with this trigger. The claim of the due time and the
   * execution are stored before or with the acceptance.
   */
  death: { when: "before" | "after"; nth: number; trigger: string } | null;
}

const { shell, home, death } = JSON.parse(Deno.args[0] ?? "") as MortalOrder;

/** Kills this process with SIGKILL, so that no cleanup runs and no buffer is flushed. */
function die(): never {
  Deno.kill(Deno.pid, "SIGKILL");
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

const accept = SqlAcceptanceStore.prototype.acceptExecution;
let accepted = 0;
SqlAcceptanceStore.prototype.acceptExecution = async function (...wanted) {
  if (wanted[0].trigger === death?.trigger) accepted++;
  const isLast = wanted[0].trigger === death?.trigger && accepted === death.nth;
  if (isLast && death?.when === "before") die();
  const acceptance = await accept.apply(this, wanted);
  if (isLast) die();
  return acceptance;
};

await openRuntime({
  settings: await loadSettings({ shell, home }),
  version: "mortal",
  mode: "service",
  log: {
    write: (level, message, fields) => {
      if (level === "error") console.error(message, fields);
    },
  },
});
console.log("ready");
