// Defines the type of the parsed config.yaml, in which every absent key has its default. parse_config.ts parses the file.
import type { ReadConfig } from "./parse_config.ts";

/** The parsed config.yaml. */
export type Config = ReadConfig["config"];

/** The values for fields that an agent's file omits. */
export type AgentDefaults = Config["defaults"];
