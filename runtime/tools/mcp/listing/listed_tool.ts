// Parses one tool of an MCP server's list. Each value is parsed separately, so that a tool with one wrong value remains
// usable.
import { z } from "zod";

const text = z.string().optional().catch(undefined);
const values = z.record(z.string(), z.unknown()).catch({});

/** The schema of a tool as its server describes it. Only the name must exist; other values with a wrong type are dropped. */
export const listedTool = z.object({
  name: z.string(),
  title: text,
  description: text,
  inputSchema: z.unknown(),
  annotations: values,
  execution: values,
});

/** A tool as its server describes it, with the schema of its arguments unchecked. */
export type ListedTool = z.output<typeof listedTool>;
