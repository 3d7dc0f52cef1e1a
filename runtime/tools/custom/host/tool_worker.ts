// Loads one tool file in a worker, and describes it or runs one call. The worker has exactly the tool's permissions. The
// tool controls the worker, so the host does not trust its messages.
import type { FromWorker, HostWork, ToHost, ToolFile } from "../host_messages.ts";
import { exportedTools } from "./exported_tools.ts";
import { describeLoadFailure, describeThrown } from "./load_failure.ts";
import { openToolContext } from "./tool_context.ts";
import { workerScope } from "./worker_scope.ts";

/** The maximum length of a tool's result in UTF-16 code units. */
const MAX_RESULT_CHARACTERS = 1_000_000;
/**
 * The maximum lengths of an error's message and of its stack, in UTF-16 code units. They exceed the lengths that are shown,
 * because the service must redact the texts before it cuts them.
 */
const MAX_MESSAGE_CHARACTERS = 100_000;

const scope = workerScope();
// The function is saved here, because a tool that is loaded later may replace it in the scope.
const post: (message: FromWorker) => void = scope.postMessage.bind(scope);
let open: ReturnType<typeof openToolContext> | undefined;
let isLoaded = false;

scope.onmessage = ({ data }) => void onMessage(data as HostWork | ToHost);
reportLeaving();

async function onMessage(message: HostWork | ToHost): Promise<void> {
  if (message.type === "reply") return open?.reply(message);
  if (message.type === "abort") return open?.abort();
  try {
    if (message.type === "describe") post(await describe(message.file));
    else post({ type: "done", result: await call(message) });
  } catch (error) {
    post(loadFailure(error, message.file) ?? failure(error));
  }
}

async function describe(file: ToolFile): Promise<FromWorker> {
  const tools = (await load(file)).map(({ name, tool }) => {
    const { description, parameters, permissions, effect, timeout } = tool;
    return { name, description, parameters, permissions, effect, timeout };
  });
  return { type: "described", tools: JSON.stringify(tools) };
}

async function call(message: Extract<HostWork, { type: "call" }>): Promise<string> {
  const found = (await load(message.file)).find(({ name }) => name === message.tool);
  if (found === undefined) {
    throw new Error(`${message.file.module} no longer exports a tool ${message.tool}`);
  }
  open = openToolContext(message.surroundings, post);
  return toResult(await found.tool.run(message.args, open.context));
}

async function load(
  { url, module, isLoaderOpen }: ToolFile,
): Promise<ReturnType<typeof exportedTools>> {
  if (isLoaderOpen) closeLoader();
  const exports = await import(url) as Record<string, unknown>;
  isLoaded = true;
  return exportedTools(exports, module);
}

function toResult(value: unknown): string {
  if (value === undefined) return "The tool returned nothing.";
  const text = typeof value === "string" ? value : toJson(value);
  if (text.length <= MAX_RESULT_CHARACTERS) return text;
  throw new Error(
    `It ran, but its result is too long: ${text.length} characters, at most ${MAX_RESULT_CHARACTERS} are possible`,
  );
}

function toJson(value: unknown): string {
  let text: string | undefined;
  let reason = `a ${typeof value}`;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  if (text !== undefined) return text;
  throw new Error(`It ran, but its result cannot be written as JSON: ${reason}`);
}

/**
 * Returns the message for a file that cannot be loaded, or undefined for another error. It contains no stack, because the
 * position of the error suffices.
 */
function loadFailure(error: unknown, { url }: ToolFile): FromWorker | undefined {
  const failure = describeLoadFailure(error, url) ??
    (isLoaded ? undefined : describeThrown(error, url));
  if (failure === undefined) return undefined;
  return { type: "failed", stack: "", ...failure, message: cut(failure.message) };
}

function cut(text: string): string {
  return text.slice(0, MAX_MESSAGE_CHARACTERS);
}

function failure(error: unknown): FromWorker {
  if (!(error instanceof Error)) return { type: "failed", message: cut(String(error)), stack: "" };
  return { type: "failed", message: cut(error.message), stack: cut(error.stack ?? "") };
}

/**
 * Replaces the functions by which a tool can end its worker. The new functions report the end: a worker that closes itself
 * sends no message.
 */
function reportLeaving(): void {
  const leave = (code: unknown): never => {
    const shown = typeof code === "number" ? ` (exit code ${code})` : "";
    const error = new Error(`It ended its own process${shown} instead of returning a result`);
    post(failure(error));
    throw error;
  };
  Object.defineProperty(Deno, "exit", { value: leave });
  Object.defineProperty(globalThis, "close", { value: leave });
}

const FUNCTIONS = [function () {}, async function () {}, function* () {}, async function* () {}];
const WAYS_OF_NODE = ["getBuiltinModule", "binding", "_eval", "mainModule"];

/**
 * Replaces the functions that turn text into code or start threads by a function that throws, so that the worker runs only
 * code that import_check.ts has read. Used in executables without a sandbox. Must be called before a tool is loaded. Throws
 * if Deno's internals cannot be removed.
 */
function closeLoader(): void {
  const refuse = Object.assign(
    function () {
      throw new TypeError(
        "in an executable without a sandbox a tool can neither turn texts into code nor start threads",
      );
    },
    // With this prototype, `instanceof Function` continues to work.
    { prototype: Function.prototype },
  );
  const close = (object: object, name: string) =>
    Object.defineProperty(object, name, { value: refuse, writable: false, configurable: false });
  for (const one of FUNCTIONS) close(Object.getPrototypeOf(one), "constructor");
  for (const name of ["eval", "Function", "Worker"]) close(globalThis, name);
  const { process } = globalThis as unknown as { process: object };
  for (const name of WAYS_OF_NODE) close(process, name);
  // Deno's internals can also run text as code, so they are removed.
  const deno = Deno as unknown as { internal: symbol };
  if (!Reflect.deleteProperty(deno, deno.internal)) throw new Error("Deno's own ways stay open");
}
