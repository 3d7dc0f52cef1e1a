// Checks an agent's answer against the JSON schema in the agent's file. The service checks only keywords that take bounded
// time. The check of all keywords runs in a process with a time limit (see arguments_check.ts).
import type { OutputUnit, Schema, Validator } from "@cfworker/json-schema";
import type { JsonSchema, JsonValue } from "../../../base/json.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { causesOf, draftOf, isTooBig } from "./arguments_check.ts";
import { reduceSchema } from "./check_schema.ts";

const loadValidator = lazyModule(() => import("@cfworker/json-schema"));

const MAX_FAULTS = 10;

/** The service's check of an agent's answers against one schema. */
export interface AnswerCheck {
  /**
   * Returns the faults of an answer, each as a JSON pointer followed by the reason. The list is empty for a valid answer.
   */
  findFaults(answer: JsonValue): string[];
  /** Returns true if `findFaults` does not check everything that the schema demands of this answer. */
  isPartial(answer: JsonValue): boolean;
}

/** Compiles the part of a schema that takes bounded time to check. */
export async function compileAnswerCheck(schema: JsonSchema): Promise<AnswerCheck> {
  const { Validator } = await loadValidator();
  const { reduced, isWhole } = reduceSchema(schema);
  const validator = new Validator(reduced as Schema, "2020-12", false);
  return {
    findFaults: (answer) => isTooBig(schema, answer) ? [] : faultsBy(validator, answer),
    isPartial: (answer) => !isWhole || isTooBig(schema, answer),
  };
}

/**
 * Checks an answer against the whole schema and returns its faults. The check may never end, so it must run in a process
 * with a time limit.
 */
export async function findAllFaults(answer: JsonValue, schema: JsonSchema): Promise<string[]> {
  const { Validator } = await loadValidator();
  return faultsBy(new Validator(schema as Schema, draftOf(schema), false), answer);
}

function faultsBy(validator: Validator, answer: JsonValue): string[] {
  try {
    const { valid, errors } = validator.validate(answer);
    if (valid) return [];
    const faults = [...new Set(causesOf(errors).map(describe))];
    return faults.length > 0 ? faults.slice(0, MAX_FAULTS) : ["the whole answer is not allowed"];
  } catch (error) {
    // The validator resolves references and compiles patterns during the check, and throws if one is broken.
    const reason = error instanceof Error ? error.message : String(error);
    return [`the answer cannot be checked: ${reason}`];
  }
}

function describe({ keyword, instanceLocation, error }: OutputUnit): string {
  const pointer = decodeURIComponent(instanceLocation.replace(/^#/, ""));
  const place = pointer === "" ? "the whole answer" : pointer;
  const sentence = error.replace(/\.$/, "");
  const told = (pattern: RegExp) => pattern.exec(sentence)?.[1];
  switch (keyword) {
    case "type": {
      const types = told(/Expected "(.*)"$/);
      if (types !== undefined) return `${place} must be ${types.replaceAll('", "', " or ")}`;
      break;
    }
    case "required": {
      const name = told(/"(.*)"$/s);
      if (name !== undefined) {
        return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")} is missing`;
      }
      break;
    }
    case "false":
      return `${place} is not allowed`;
    case "enum":
    case "const": {
      const values = told(/^Instance does not match (?:\w+ of )?(.*)$/s);
      if (values !== undefined) {
        return `${place} must be ${keyword === "enum" ? "one of " : ""}${values}`;
      }
      break;
    }
  }
  return `${place} does not fit: ${sentence}`;
}
