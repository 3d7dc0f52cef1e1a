// What the API's description is made of, loaded late: the schemas of all operations.
import { lazyModule } from "../../base/lazy_module.ts";

/** The operations, and what describes them. Throws NoDescriptorLeft. */
export const loadApiDescription = lazyModule(async () => {
  const { describeApi } = await import("./openapi.ts");
  const { OPERATIONS } = await import("./operations.ts");
  return { describeApi, OPERATIONS };
});
