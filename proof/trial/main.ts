// `deno task trial`: tries the shipped files completely. It takes minutes, a registry and much disk; the suite tries
// a sample, and starts the build in its end-to-end tests.
import { tryExecutable } from "./executable_trial.ts";
import { tryNpmPackage } from "./npm_trial.ts";

await tryNpmPackage();
await tryExecutable();
