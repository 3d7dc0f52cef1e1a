// `deno task trial`: what is shipped, whole. Minutes, a registry and much disk: too much for the suite, which tries the same
// with a sample.
import { testBundle } from "./end_to_end.ts";
import { tryExecutable } from "./executable_trial.ts";
import { tryNpmPackage } from "./npm_trial.ts";
import { step } from "./step.ts";

await tryNpmPackage();
await tryExecutable();
await step("the end-to-end tests, with the bundle", testBundle);
