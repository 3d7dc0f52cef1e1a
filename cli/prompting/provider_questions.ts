// Which provider runs a model: picked from a list, or named together with its address. `setup` and `new` ask it alike.
import type { ProviderReport } from "../app.ts";
import type { Choice } from "./input.ts";
import type { Interview } from "./interview.ts";

/** Stands for a provider that is not in the list. No provider is called so: a name holds a letter or a digit. */
export const OTHER_PROVIDER = "…";

/** Why a file would refuse this model, as a sentence; undefined when it would not. */
export type CheckModel = (
  model: { provider: string; name: string; base_url?: string },
) => Promise<string | undefined>;

/** What the questions are asked with. */
export interface ProviderDialog {
  interview: Interview;
  check: CheckModel;
}

/** Any model and any address, where only the rest of the answer is checked. */
const ANY_MODEL = "any";
const ANY_URL = "http://localhost";

/** The value of a choice, or the name of a provider that none of them is. */
export async function askProvider(
  { interview, check }: ProviderDialog,
  { choices, initial }: { choices: readonly Choice[]; initial?: string },
): Promise<string> {
  const picked = await interview.select({
    message: "Model provider",
    choices: [
      ...choices,
      { value: OTHER_PROVIDER, label: "another", hint: "any OpenAI-compatible endpoint" },
    ],
    ...(initial !== undefined && { initial }),
  });
  if (picked !== OTHER_PROVIDER) return picked;
  return await interview.text({
    message: "Provider name; its key will be <NAME>_API_KEY",
    check: (provider) =>
      /[A-Za-z0-9]/.test(provider)
        ? check({ provider, name: ANY_MODEL, base_url: ANY_URL })
        : Promise.resolve("The name must hold a letter or a digit"),
  });
}

/** The address of a provider whose name does not say it. */
export async function askBaseUrl(
  { interview, check }: ProviderDialog,
  { provider, initial }: { provider: string; initial?: string },
): Promise<string> {
  return await interview.text({
    message: "Base URL",
    ...(initial === undefined ? { placeholder: "https://models.example/v1" } : { initial }),
    check: (base_url) => check({ provider, name: ANY_MODEL, base_url }),
  });
}

/** The provider as a choice, which says whether its key is set. */
export function toProviderChoice({ name, keyVariable, hasKey }: ProviderReport): Choice {
  const hint = keyVariable === null
    ? name === "demo" ? "scripted, to look around without a key" : "no key needed"
    : hasKey
    ? `${keyVariable} is set`
    : `needs ${keyVariable}`;
  return { value: name, label: name, hint };
}
