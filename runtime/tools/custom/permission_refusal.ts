// Deno's message for something that a worker may not do, as a message for whoever reads a tool's error.

const REFUSAL =
  /Requires ([a-z]+) access(?: to ("[^"]*"))?, run again with the --allow-[a-z]+ flag/g;

/** The message without the advice to start Deno otherwise, which does not apply here. */
export function withoutFlagAdvice(message: string): string {
  return message.replaceAll(
    REFUSAL,
    (_, kind: string, what: string | undefined) =>
      `This tool has no ${kind} access${what === undefined ? "" : ` to ${what}`}`,
  );
}
