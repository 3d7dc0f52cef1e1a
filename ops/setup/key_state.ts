// Finds the place of a model's key: a file or the environment.
import { EnvironmentFiles } from "../../runtime/config/files/environment_files.ts";
import { modelEndpoint } from "../../runtime/models/endpoint.ts";
import { type ModelChoice, toModelSettings } from "./setup_choices.ts";

/** The variable and the place of a model's key. */
export interface KeyState {
  /** The environment variable of the key. Null if the model uses no key. */
  variable: string | null;
  required: boolean;
  /** The path of the file with the key, or `the environment`. Undefined if there is no key. */
  source: string | undefined;
  /** The host that receives a provider's key although it is not the provider's own host. Null otherwise. */
  foreignHost: string | null;
}

/** The places in which keys are searched: the files in their order, then the environment. */
export type KeyPlaces = ConstructorParameters<typeof EnvironmentFiles>[0];

/** A model provider and the availability of its key. */
export interface ProviderKey {
  name: string;
  /** The environment variable of the provider's key. Null if the provider needs no key. */
  keyVariable: string | null;
  hasKey: boolean;
}

/** Returns a provider with the availability of its key, which may belong to another address. */
export function findProviderKey(
  name: string,
  places: KeyPlaces & { baseUrl?: string | undefined },
): ProviderKey {
  const { baseUrl } = places;
  const { required, variable, source } = findKey(
    { provider: name, model: "any", ...(baseUrl !== undefined && { baseUrl }) },
    places,
  );
  return { name, keyVariable: required ? variable : null, hasKey: source !== undefined };
}

/** Returns the variable and place of a model's key. Throws ModelError for a model without an endpoint. */
export function findKey(model: ModelChoice, { files, shell }: KeyPlaces): KeyState {
  const { keyVariable, keyRequired, foreignHost } = modelEndpoint(toModelSettings(model));
  const places = [
    ...files.map((path) => ({
      source: path,
      variables: new EnvironmentFiles({ files: [path], shell: {} }),
    })),
    { source: "the environment", variables: new EnvironmentFiles({ files: [], shell }) },
  ];
  const found = keyVariable === null
    ? undefined
    : places.find(({ variables }) => (variables.get(keyVariable)?.trim() ?? "") !== "");
  return { variable: keyVariable, required: keyRequired, source: found?.source, foreignHost };
}
