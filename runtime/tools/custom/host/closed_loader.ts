// Removes from a tool's worker the functions that turn text into code or start threads. So the worker runs only code that
// import_check.ts has read. Used in executables without a sandbox.

const FUNCTIONS = [function () {}, async function () {}, function* () {}, async function* () {}];
const WAYS_OF_NODE = ["getBuiltinModule", "binding", "_eval", "mainModule"];

/**
 * Replaces the functions that turn text into code or start threads by a function that throws. Must be called before a tool
 * is loaded. Throws if Deno's internals cannot be removed.
 */
export function closeLoader(): void {
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
