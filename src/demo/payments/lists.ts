import { noSuch, PaymentError } from './errors.ts';
import type { Parameters } from './parameters.ts';

/** A page of a list, as Stripe turns them: latest first, from the object that the client saw last. */
export interface ListPage<T> {
  readonly object: 'list';
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly url: string;
}

interface Listable {
  readonly id: string;
  readonly created: number;
}

/** Takes objects in the order in which they were made. */
export function listPage<T extends Listable>(url: string, made: readonly T[], params: Parameters): ListPage<T> {
  const limit = params.integer('limit', 1, 100) ?? 10;
  const after = params.text('starting_after');
  const before = params.text('ending_before');
  if (after !== undefined && before !== undefined) {
    throw new PaymentError('You can only specify one of starting_after and ending_before', {
      code: 'parameters_exclusive',
    });
  }
  const isInRange = readRange(params);
  const matching = made.filter(({ created }) => isInRange(created)).reverse();
  if (before === undefined) {
    const start = after === undefined ? 0 : findPlace(matching, after, 'starting_after') + 1;
    const data = matching.slice(start, start + limit);
    return { object: 'list', data, has_more: start + limit < matching.length, url };
  }
  const end = findPlace(matching, before, 'ending_before');
  const start = Math.max(end - limit, 0);
  return { object: 'list', data: matching.slice(start, end), has_more: start > 0, url };
}

function findPlace(objects: readonly Listable[], id: string, param: string): number {
  const place = objects.findIndex((object) => object.id === id);
  if (place < 0) throw noSuch('object', id, param);
  return place;
}

/** `created=N` or `created[gte]=N` and its like. */
function readRange(params: Parameters): (created: number) => boolean {
  const [lowest, highest] = [0, 99_999_999_999];
  if (params.isText('created')) {
    const exactly = params.integer('created', lowest, highest);
    return (created) => created === exactly;
  }
  const range = params.part('created');
  const read = (name: string) => range.integer(name, lowest, highest);
  const [gt, gte, lt, lte] = [read('gt') ?? -1, read('gte') ?? lowest, read('lt') ?? Infinity, read('lte') ?? highest];
  return (created) => created > gt && created >= gte && created < lt && created <= lte;
}
