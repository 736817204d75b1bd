import type { TObject } from 'typebox';
import type { Executor } from '../../operations/execute.ts';
import type { Trial } from '../../operations/operation.ts';
import { compileReader, type Reader } from '../../validation/reader.ts';
import { toOperation } from './answer.ts';
import type { DataOperation } from './operation.ts';

/** The same operation for the session of a user, with parameters from a form. Validators are compiled at first use. */
export function createTrial(
  route: DataOperation<TObject, TObject>,
  executor: Pick<Executor, 'perform'>,
  version: string,
): Trial {
  const { needs, ...operation } = toOperation(route, version);
  const parts = (['path', 'query'] as const).flatMap((part) => {
    const schema = part === 'path' ? route.params : route.querystring;
    return schema === undefined ? [] : [{ part, schema }];
  });
  let readers: readonly Reader<object>[] | undefined;

  function read(values: Readonly<Record<string, string>>): object {
    readers ??= parts.map(({ part, schema }) => {
      const reader = compileReader(schema, part);
      const names = Object.keys(schema.properties);
      return (given) =>
        reader(Object.fromEntries(Object.entries(given as object).filter(([name]) => names.includes(name))));
    });
    return Object.assign({}, ...readers.map((each) => each(values)));
  }

  return (values, exchange) => {
    const input = { url: route.url, headers: {}, response: exchange.response, read: () => read(values) };
    return executor.perform({ ...operation, needs: { ...needs, credential: 'session' } }, { ...exchange, input });
  };
}
