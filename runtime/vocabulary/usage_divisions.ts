// The fields of an execution by which the usage of an agent can be divided further.
export const USAGE_DIVISIONS = ["model", "trigger"] as const;
export type UsageDivision = typeof USAGE_DIVISIONS[number];
