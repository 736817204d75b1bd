/**
 * A ClickHouse node: opens the library of the package `@chdb/lib-…` and runs it as `clickhouse local`, whose query opens the ports
 * and then waits. Arguments: the library, then the options of `clickhouse local`.
 */
interface Ffi {
  dlopen(
    path: string,
    functions: object,
  ): { readonly functions: Readonly<Record<string, (...args: unknown[]) => bigint>> };
  getRawPointer(bytes: Uint8Array): bigint;
  toString(pointer: bigint): string;
}

const ffi = process.getBuiltinModule('node:ffi') as unknown as Ffi;
const [library = '', ...options] = process.argv.slice(2);
const { functions } = ffi.dlopen(library, {
  chdb_query_cmdline: { arguments: ['int32', 'pointer'], return: 'pointer' },
  chdb_result_error: { arguments: ['pointer'], return: 'pointer' },
});
// The bytes must not be collected while the library reads them.
const texts = ['clickhouse', ...options].map((option) => Buffer.from(`${option}\0`));
const pointers = BigUint64Array.from([...texts.map((text) => ffi.getRawPointer(text)), 0n]);
const result = functions.chdb_query_cmdline?.(texts.length, ffi.getRawPointer(new Uint8Array(pointers.buffer))) ?? 0n;
const error = functions.chdb_result_error?.(result) ?? 0n;
if (error !== 0n) console.error(ffi.toString(error));
