// Loads a module late, with all file descriptors taken and then with some given back; prints what came of it.
import { NoDescriptorLeft } from "../../base/free_descriptors.ts";
import { lazyModule } from "../../base/lazy_module.ts";

const load = lazyModule(() => import("../../base/durations.ts"));
const held: Deno.FsFile[] = [];
try {
  for (;;) held.push(Deno.openSync(new URL(import.meta.url)));
} catch {
  // That was the last.
}
const refused = await load().then(() => "loaded", (error) => error);
for (const file of held) file.close();
const { parseDuration } = await load();
console.log(JSON.stringify({
  refused: refused instanceof NoDescriptorLeft ? refused.message : String(refused),
  then: parseDuration("1m"),
}));
