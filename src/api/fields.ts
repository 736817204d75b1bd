import Type, { type TOptional, type TProperties, type TSchema } from 'typebox';

/**
 * The parts of the API's shapes: fields with a description and an example, and named objects. One TypeBox object is the validator, the TypeScript
 * type and the contract. Its `$id` is the name of the component in `openapi.json`.
 */

type Rules = Readonly<Record<string, unknown>>;

const describe = <Example>(rules: Rules, description: string, example: Example | undefined) => ({
  ...rules,
  description,
  ...(example !== undefined && { examples: [example] }),
});

const textIn = (format: string) => (description: string, example?: string, rules?: Rules) =>
  Type.String({ format, ...describe({ ...rules }, description, example) });

/** The parameter `rules` of these functions is for further keywords, such as `maxLength`. */
export const text = (description: string, example?: string, rules: Rules = {}) =>
  Type.String(describe(rules, description, example));
export const uuid = textIn('uuid');
export const day = textIn('date');
export const instant = textIn('date-time');
export const address = textIn('uri');

export const count = (description: string, example?: number, rules: Rules = {}) =>
  Type.Integer({ minimum: 0, ...describe(rules, description, example) });

export const flag = (description: string, example?: boolean, rules: Rules = {}) =>
  Type.Boolean(describe(rules, description, example));

export const listOf = <Item extends TSchema>(item: Item, description: string, example?: unknown, rules: Rules = {}) =>
  Type.Array(item, describe(rules, description, example));

export const choice = <Value extends string>(
  values: readonly Value[],
  description: string,
  example?: Value,
  rules: Rules = {},
) => Type.Enum([...values], describe(rules, description, example));

export const object = <Fields extends TProperties>(description: string, fields: Fields) =>
  Type.Object(fields, { description });

/** An object that is a named component of the contract. */
export const component = <Fields extends TProperties>($id: string, description: string, fields: Fields) =>
  Type.Object(fields, { $id, description });

/** The parameters of a query. All of them are optional, and unknown parameters are rejected. */
export function parametersOf<Fields extends TProperties>(fields: Fields) {
  const optional = Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)]);
  return Type.Object(Object.fromEntries(optional) as { [Name in keyof Fields]: TOptional<Fields[Name]> }, {
    additionalProperties: false,
  });
}

/** The body of a request. Unknown fields are rejected. */
export const bodyOf = <Fields extends TProperties>($id: string, fields: Fields, rules: Rules = {}) =>
  Type.Object(fields, { $id, additionalProperties: false, ...rules });

export const replyOf = (name: string, data: TSchema, meta?: TProperties) =>
  Type.Object({ data, ...(meta && { meta: Type.Object(meta) }) }, { $id: name });

/** The path parameter `id`. `source`: where clients find the id. */
export const idOf = (source: string, description: string, example?: string) =>
  Type.Object({
    id: uuid(description, example, {
      errorMessage: `must be a UUID: use the "id" of ${source}, 36 characters including hyphens`,
    }),
  });

/** The reply that lists resources of an account, with their number and how many the plan allows. */
export const limitedList = (name: string, item: TSchema, noun: string) =>
  replyOf(name, Type.Array(item), {
    count: count(`Number of active ${noun}.`, 1),
    limit: count(`Maximum number of active ${noun} of the plan.`, 5),
  });

export function listMeanings(meanings: Readonly<Record<string, string>>): string {
  return Object.entries(meanings)
    .map(([value, meaning]) => `\`${value}\` (${meaning})`)
    .join(', ');
}

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

const withNull =
  <Given extends unknown[], Field extends TSchema>(make: (...given: Given) => Field) =>
  (...given: Given) =>
    nullable(make(...given));

/** The same fields, which can also be null. */
export const orNull = {
  text: withNull(text),
  uuid: withNull(uuid),
  day: withNull(day),
  instant: withNull(instant),
  address: withNull(address),
  count: withNull(count),
  flag: withNull(flag),
  listOf: withNull(listOf),
  choice: withNull(choice),
  object: withNull(object),
};

/** Formats an instant as in all replies: ISO 8601 in UTC. */
export function formatInstant(instant: number): string;
export function formatInstant(instant: number | null): string | null;
export function formatInstant(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
