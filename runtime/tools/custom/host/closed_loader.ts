// A tool's worker without the ways from a text to code, and to other threads: what import_check.ts has read stays all that is
// loaded. For executables without a sandbox.

const FUNCTIONS = [function () {}, async function () {}, function* () {}, async function* () {}];
const WAYS_OF_NODE = ["getBuiltinModule", "binding", "_eval", "mainModule"];

/** Before a tool is loaded. Throws where one of the ways cannot be closed. */
export function closeLoader(): void {
  const refuse = Object.assign(
    function () {
      throw new TypeError(
        "in an executable without a sandbox a tool makes no code of texts, and starts no threads",
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
  // Deno's own, which runs texts, too.
  const deno = Deno as unknown as { internal: symbol };
  if (!Reflect.deleteProperty(deno, deno.internal)) throw new Error("Deno's own ways stay open");
}
