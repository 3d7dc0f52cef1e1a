// Does one piece of work in a new worker: describes a tool file, or runs one call. The worker ends with the work.
import type { FromWorker, HostWork, ToHost } from "../host_messages.ts";
import { readWorkerMessage } from "../host_reply.ts";
import { workerModule } from "../../../../base/program_files.ts";
import { confinedWorker } from "./confined_worker.ts";

/** The maximum number of log lines and of requests in one call. */
const MAX_LOG_LINES = 200;
const MAX_REQUESTS = 1_000;

/**
 * Starts a piece of work. Calls `report` for each message of the work; `described`, `done` or `failed` is the last. Returns
 * a function that passes a reply or an abort to the tool, and does nothing after the end of the work.
 */
export function startWork(
  work: HostWork,
  report: (message: FromWorker) => void,
): (message: ToHost) => void {
  const worker = confinedWorker(workerModule("tool_worker"), work.permissions);
  let logLines = 0;
  let requests = 0;
  let hasEnded = false;
  const end = (message: FromWorker) => {
    if (hasEnded) return;
    hasEnded = true;
    // The worker ends before the last message is sent, so that the tool prints nothing after it.
    worker.terminate();
    report(message);
  };
  const fail = (message: string) => end({ type: "failed", message, stack: "" });
  worker.onmessage = ({ data }) => {
    if (hasEnded) return;
    const message = readWorkerMessage(data);
    if (message === undefined) return fail("It sent something that is not a message");
    if (message.type === "log") {
      if (++logLines <= MAX_LOG_LINES) report(message);
    } else if (message.type === "request") {
      if (++requests <= MAX_REQUESTS) report(message);
      else fail(`It sent more than ${MAX_REQUESTS} requests`);
    } else {
      end(message);
    }
  };
  worker.onmessageerror = () => fail("It sent something that cannot be read");
  worker.onerror = (event) => {
    // Without preventDefault(), an uncaught error in the worker would end this process.
    event.preventDefault();
    fail(event.message.replace(/^Uncaught (\(in promise\) )?/, ""));
  };
  worker.postMessage(work);
  return (message) => {
    if (!hasEnded) worker.postMessage(message);
  };
}
