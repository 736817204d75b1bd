import { registerHooks } from 'node:module';
import type { Static, TObject } from 'typebox';
import { compileReader as compile, type Reader } from '../../src/validation/reader.ts';

/**
 * Every reader that the modules imported after this one compile: those of routes, tools and messages, wherever they are. So a test over
 * all schemas of requests cannot forget a new one. A test file that imports this needs a process of its own.
 */
export interface WatchedReader {
  readonly schema: TObject;
  readonly part: Parameters<typeof compile>[1];
  readonly read: Reader<unknown>;
}

const readers = new Map<string, WatchedReader>();

export function listReaders(): WatchedReader[] {
  return [...readers.values()];
}

/** Imported by the service instead of the function of that name. */
export function compileReader<S extends TObject>(schema: S, part: WatchedReader['part']): Reader<Static<S>> {
  const read = compile(schema, part);
  readers.set(`${part} ${JSON.stringify(schema)}`, { schema, part, read });
  return read;
}

registerHooks({
  resolve(specifier, context, next) {
    const isReader = specifier.endsWith('/validation/reader.ts') && context.parentURL !== import.meta.url;
    return isReader
      ? { url: import.meta.url, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context);
  },
});
