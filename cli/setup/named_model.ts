// Reads the model that options name, such as `--model openai/gpt-5`.

/**
 * Returns the options with the provider that the model's name begins with, if it is a known provider and no other is
 * given.
 */
export function readNamedModel<Options extends { provider?: string; model?: string }>(
  options: Options,
  known: readonly { name: string }[],
): Options {
  const { provider, model } = options;
  if (provider !== undefined || model === undefined) return options;
  const found = known.find(({ name }) => model.startsWith(`${name}/`));
  if (found === undefined) return options;
  return { ...options, provider: found.name, model: model.slice(found.name.length + 1) };
}
