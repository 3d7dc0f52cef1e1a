/** Counts the words of a text file. */
export default {
  description: "Counts the words of a text file",
  parameters: {
    type: "object",
    properties: { file: { type: "string", description: "{alias}/path of the file" } },
    required: ["file"],
  },
  effect: "read",
  async run(
    { file }: { file: string },
    context: { resolvePath(path: string): Promise<string> },
  ): Promise<string> {
    const text = await Deno.readTextFile(await context.resolvePath(file));
    return `${text.split(/\s+/).filter((word) => word !== "").length} words`;
  },
};
