import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/schema';
import { fail } from '../core/errors.ts';

const Cells = Type.Array(Type.Union([Type.String(), Type.Null()]));

/**
 * Everything about a list that is being matched. It travels in a hidden field of the form, packed, so that the server keeps nothing. A
 * client can change it, and then gets what it has sent: nothing in it is trusted.
 */
const MatchState = Type.Object({
  header: Type.Array(Type.String()),
  rows: Type.Array(Type.Array(Type.String())),
  /** The country of rows that have none; '' if not given. */
  country: Type.String(),
  /** The columns that were added to the rows of earlier pages. */
  done: Type.Array(Cells),
  /** For each row of the current page, the columns of each choice. */
  page: Type.Array(Type.Array(Cells, { minItems: 1 })),
});
export type MatchState = Static<typeof MatchState>;

const validator = Compile(MatchState);
/** How large a list and its results can be. */
const MAX_BYTES = 4 * 1024 * 1024;

const deflate = promisify<string, Buffer>(deflateRaw);
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

export async function packState(state: MatchState): Promise<string> {
  return (await deflate(JSON.stringify(state))).toString('base64url');
}

export async function unpackState(text: string): Promise<MatchState> {
  try {
    const bytes = await inflate(Buffer.from(text, 'base64url'), { maxOutputLength: MAX_BYTES });
    const state: unknown = JSON.parse(bytes.toString());
    if (validator.Check(state)) return state as MatchState;
  } catch {
    // Reported below.
  }
  throw fail('invalid_request', { message: 'The list is not complete: start again with the list.' });
}

/** Moves the choices of the current page to the rows that are done. A row without a choice keeps the first. */
export function finishPage(state: MatchState, choiceOf: (row: number) => string | undefined): MatchState {
  const { done, page } = state;
  const chosen = page.map((choices, index) => {
    const choice = choiceOf(done.length + index) ?? '0';
    return choices[Number(choice)] ?? choices[0] ?? [];
  });
  return { ...state, done: [...done, ...chosen], page: [] };
}
