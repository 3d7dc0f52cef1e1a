// Closes the ways from a text to code, and to other threads, in a tool's worker. So nothing is loaded that import_check.ts
// has not read. Used in executables without a sandbox.

const FUNCTIONS = [function () {}, async function () {}, function* () {}, async function* () {}];
const WAYS_OF_NODE = ["getBuiltinModule", "binding", "_eval", "mainModule"];

/** Call it before a tool is loaded. Throws when one of the ways cannot be closed. */
export function closeLoader(): void {
  const refuse = Object.assign(
    function () {
      throw new TypeError(
        "in an executable without a sandbox a tool can neither turn texts into code nor start threads",
      );
    },
    // For `instanceof`.
    { prototype: Function.prototype },
  );
  const close = (object: object, name: string) =>
    Object.defineProperty(object, name, { value: refuse, writable: false, configurable: false });
  for (const one of FUNCTIONS) close(Object.getPrototypeOf(one), "constructor");
  for (const name of ["eval", "Function", "Worker"]) close(globalThis, name);
  const { process } = globalThis as unknown as { process: object };
  for (const name of WAYS_OF_NODE) close(process, name);
  // Deno's internals, which can also run texts as code.
  const deno = Deno as unknown as { internal: symbol };
  if (!Reflect.deleteProperty(deno, deno.internal)) throw new Error("Deno's own ways stay open");
}
