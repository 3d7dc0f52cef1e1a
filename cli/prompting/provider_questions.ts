// Asks for the model provider and its address, for `inkling setup` and `inkling new`.
import type { ProviderKey } from "../../ops/setup/key_state.ts";
import type { Choice } from "../context/input.ts";
import type { Interview } from "./interview.ts";

/**
 * The value of the choice for a provider that is not in the list. A provider's name contains a letter or a digit, so it
 * never equals this value.
 */
export const OTHER_PROVIDER = "…";

/** A check of a model. It returns the problem as a sentence, or undefined for a valid model. */
export type CheckModel = (
  model: { provider: string; name: string; base_url?: string },
) => Promise<string | undefined>;

/** The objects that the questions for a provider need. */
export interface ProviderDialog {
  interview: Interview;
  check: CheckModel;
}

/** A valid model name and address, used to check another field alone. */
const ANY_MODEL = "any";
const ANY_URL = "http://localhost";

/** Asks for the provider and returns its name: one of the choices or a typed name. */
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
        : "The name must contain a letter or a digit",
  });
}

/** Asks for the address of a provider's API and returns it. */
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

/** Converts a provider to a choice of a menu. The hint says whether the provider's key is set. */
export function toProviderChoice({ name, keyVariable, hasKey }: ProviderKey): Choice {
  const hint = keyVariable === null
    ? name === "demo" ? "scripted replies, to try Inkling without a key" : "no key needed"
    : hasKey
    ? `${keyVariable} is set`
    : `needs ${keyVariable}`;
  return { value: name, label: name, hint };
}
