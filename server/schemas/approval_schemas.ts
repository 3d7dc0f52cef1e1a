// The wire of what a person allows for good: a tool that an agent may call unasked from now on.
import { z } from "zod";

/** POST /agents/{id}/auto-approve. */
export const AutoApproveBody = z.object({
  tool: z.string().min(1).meta({
    description: "By its name, or `server/tool` for one of an MCP server",
  }),
  write: z.boolean().meta({ description: "false only shows what would change" }),
}).meta({ id: "AutoApprove" });
export type AutoApproveBody = z.infer<typeof AutoApproveBody>;

/** What became of the agent's file, or would. */
export const AutoApproved = z.object({
  path: z.string().meta({ description: "The agent's file, absolute" }),
  diff: z.string().meta({ description: "As in Preview; empty where nothing has to change" }),
  written: z.boolean(),
  already: z.boolean().meta({ description: "Nobody is asked about this tool as it is" }),
}).meta({ id: "AutoApproved" });
export type AutoApproved = z.infer<typeof AutoApproved>;
