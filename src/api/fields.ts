import Type, { type TProperties, type TSchema } from 'typebox';

/**
 * What the shapes of the API are made of: fields with a description and an example, and named objects. One TypeBox object is the validator,
 * the TypeScript type and the contract. Its `$id` is the name of the component in `openapi.json`.
 */

const describe = <Example>(description: string, example: Example | undefined) =>
  example === undefined ? { description } : { description, examples: [example] };

const textIn = (format: string) => (description: string, example?: string) =>
  Type.String({ format, ...describe(description, example) });

export const text = (description: string, example?: string) => Type.String(describe(description, example));
export const uuid = textIn('uuid');
export const day = textIn('date');
export const instant = textIn('date-time');
export const address = textIn('uri');

/** A whole number that is not negative. */
export const count = (description: string, example?: number) =>
  Type.Integer({ minimum: 0, ...describe(description, example) });

export const flag = (description: string, example?: boolean) => Type.Boolean(describe(description, example));

/** An object that the contract lists under a name of its own. */
export const component = <Fields extends TProperties>($id: string, description: string, fields: Fields) =>
  Type.Object(fields, { $id, description });

export function listMeanings(meanings: Readonly<Record<string, string>>): string {
  return Object.entries(meanings)
    .map(([value, meaning]) => `\`${value}\` (${meaning})`)
    .join(', ');
}

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** The reply with the entries of an account that its plan limits. */
export function listOf(item: TSchema, $id: string, noun: string) {
  const limit = `Maximum number of active ${noun} of the plan.`;
  return Type.Object(
    {
      data: Type.Array(item),
      meta: Type.Object({
        count: count(`Number of active ${noun}.`, 1),
        limit: count(limit, 5),
      }),
    },
    { $id },
  );
}
