// The schemas of agents' settings in responses. They are derived from the tables of the fields in agent files.
import { z } from "zod";

type Table = Readonly<Record<string, z.ZodType>>;

/** The schema of a parsed value. An absent value is null. */
type Parsed<Value> = [Extract<Value, null | undefined>] extends [never] ? z.ZodType<Value>
  : z.ZodNullable<z.ZodType<NonNullable<Value>>>;

/** Returns the schemas of the parsed fields of a table. */
export function parsedFields<Fields extends Table>(
  table: Fields,
): { [Name in keyof Fields]: Parsed<z.output<Fields[Name]>> } {
  return describeFields(table, (field, description) => parsed(field).meta({ description }));
}

/** Returns the schemas of the durations of a table, which responses contain as text. */
export function durationFields<Fields extends Table>(
  table: Fields,
): { [Name in keyof Fields]: z.ZodString } {
  return describeFields(
    table,
    (_field, description) =>
      z.string().meta({ description: `${description}: a duration such as \`5m\`, or \`none\`` }),
  );
}

function describeFields<Schemas>(
  table: Table,
  toSchema: (field: z.ZodType, description: string) => z.ZodType,
): Schemas {
  const fields = Object.entries(table).map(([name, field]) => [
    name,
    toSchema(field, field.meta()?.description ?? ""),
  ]);
  return Object.fromEntries(fields);
}

/** Returns the schema of a field's parsed value. A converted value, such as a number of seconds, is a whole number. */
function parsed(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodPipe) return parsed(field.out as z.ZodType);
  if (field instanceof z.ZodOptional) return parsed(field.unwrap() as z.ZodType).nullable();
  return field instanceof z.ZodTransform ? z.int().nullable() : field;
}
