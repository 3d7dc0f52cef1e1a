// Runs a script in a thread of this worker, with the worker's permissions. The thread ends when no work is left, or with
// the script's exit code.
import { Worker as Thread } from "node:worker_threads";
import type { HostedScript } from "../host_messages.ts";
import { workerScope } from "./worker_scope.ts";

const scope = workerScope();

scope.onmessage = ({ data }) => {
  const { url, args } = data as HostedScript;
  const thread = new Thread(new URL(url), { argv: args });
  // Node has printed the stack trace of the uncaught error to standard error already.
  thread.on("error", () => scope.postMessage(1));
  thread.on("exit", (code) => scope.postMessage(code));
};
