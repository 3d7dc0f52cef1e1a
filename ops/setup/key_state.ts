// Where the key of a model is: in which file, or in the environment.
import { EnvironmentFiles } from "../../runtime/config/files/environment_files.ts";
import { modelEndpoint } from "../../runtime/models/endpoint.ts";
import { type ModelChoice, toModelSettings } from "./setup_choices.ts";

/** Where a model's key is. */
export interface KeyState {
  /** Null: no key is ever used. */
  variable: string | null;
  required: boolean;
  /** The file that holds it, `the environment`, or undefined where it is nowhere. */
  source: string | undefined;
  /** The host that a named provider's key would go to although it is not that provider's. */
  foreignHost: string | null;
}

/** Where keys may be: files, the first one first, then the environment. */
export interface KeyPlaces {
  files: readonly string[];
  shell: Readonly<Record<string, string>>;
}

/** Looks for the key of a model. Throws ModelError for a model that leads nowhere. */
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
