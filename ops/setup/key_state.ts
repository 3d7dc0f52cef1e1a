// Finds the place of a model's key: a file, or the environment.
import { EnvironmentFiles } from "../../runtime/config/files/environment_files.ts";
import { modelEndpoint } from "../../runtime/models/endpoint.ts";
import { type ModelChoice, toModelSettings } from "./setup_choices.ts";

/** The state of a model's key. */
export interface KeyState {
  /** Null: no key is used. */
  variable: string | null;
  required: boolean;
  /** The file that holds the key, `the environment`, or undefined when there is no key. */
  source: string | undefined;
  /** The host that receives a named provider's key although it is not that provider's host. */
  foreignHost: string | null;
}

/** The places of keys: files in their order, then the environment. */
export interface KeyPlaces {
  files: readonly string[];
  shell: Readonly<Record<string, string>>;
}

/** Finds the key of a model. Throws ModelError for a model without an endpoint. */
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
