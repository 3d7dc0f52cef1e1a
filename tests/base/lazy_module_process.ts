// Loads a module without a free file descriptor, and again after some are released. Prints the results.
import { NoDescriptorLeft } from "../../base/free_descriptors.ts";
import { lazyModule } from "../../base/lazy_module.ts";

const load = lazyModule(() => import("../../base/durations.ts"));
const held: Deno.FsFile[] = [];
try {
  for (;;) held.push(Deno.openSync(new URL(import.meta.url)));
} catch {
  // All descriptors are in use.
}
const refused = await load().then(() => "loaded", (error) => error);
for (const file of held) file.close();
const { parseDuration } = await load();
console.log(JSON.stringify({
  refused: refused instanceof NoDescriptorLeft ? refused.message : String(refused),
  then: parseDuration("1m"),
}));
