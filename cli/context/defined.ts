// Removes the undefined values of an object.

/** An object without the keys whose value is undefined. */
type Defined<Values> =
  & { [Key in keyof Values as undefined extends Values[Key] ? never : Key]: Values[Key] }
  & {
    [Key in keyof Values as undefined extends Values[Key] ? Key : never]?: Exclude<
      Values[Key],
      undefined
    >;
  };

/** Returns the object without the keys whose value is undefined. */
export function defined<Values extends object>(values: Values): Defined<Values> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Values>;
}
