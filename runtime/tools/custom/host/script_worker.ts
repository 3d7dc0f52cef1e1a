// The worker around a script. It runs the script in a thread with the same permissions, which ends like a program: when no
// work is left, or with the script's exit code.
import { Worker as Thread } from "node:worker_threads";
import type { HostedScript } from "../host_messages.ts";
import { workerScope } from "./worker_scope.ts";

const scope = workerScope();

scope.onmessage = ({ data }) => {
  const { url, args } = data as HostedScript;
  const thread = new Thread(new URL(url), { argv: args });
  // The stack trace of an uncaught error is on standard error already.
  thread.on("error", () => scope.postMessage(1));
  thread.on("exit", (code) => scope.postMessage(code));
};
