// A service in its own process, for tests that kill it. On request it kills itself just before or after it accepts a run.
import { loadSettings, openRuntime } from "../../../runtime/mod.ts";
import { SqlMailStore } from "../../../runtime/triggers/mail/mail_store.ts";
import { SqlAcceptanceStore } from "../../../runtime/storage/executions/acceptance.ts";

/** The settings of the service, passed as JSON on the command line. */
export interface MortalOrder {
  shell: Record<string, string>;
  home: string;
  /**
   * The service kills itself before or after it accepts the nth run with this trigger. The claim of the due time and the
   * execution are stored before or with the acceptance. `position`: around the nth stored position in a mail folder.
   */
  death: { when: "before" | "after"; nth: number; trigger: string } | null;
}

const { shell, home, death } = JSON.parse(Deno.args[0] ?? "") as MortalOrder;

/** Kills this process with SIGKILL, so that no cleanup runs and no buffer is flushed. */
function die(): never {
  Deno.kill(Deno.pid, "SIGKILL");
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

let calls = 0;

/** Does the work of one call, and dies before or after the nth call that counts. */
async function unlessDead<T>(counts: boolean, work: () => Promise<T>): Promise<T> {
  const isLast = counts && ++calls === death?.nth;
  if (isLast && death.when === "before") die();
  const result = await work();
  if (isLast) die();
  return result;
}

const accept = SqlAcceptanceStore.prototype.acceptExecution;
SqlAcceptanceStore.prototype.acceptExecution = function (...wanted) {
  const counts = wanted[0].trigger === death?.trigger;
  return unlessDead(counts, () => accept.apply(this, wanted));
};
const writePosition = SqlMailStore.prototype.writePosition;
SqlMailStore.prototype.writePosition = function (...given) {
  return unlessDead(death?.trigger === "position", () => writePosition.apply(this, given));
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
