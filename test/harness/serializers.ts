import { createRequire } from 'node:module';
import type { FastifySerializerCompiler } from 'fastify';

type Serializer = ReturnType<FastifySerializerCompiler<object>>;
type Build = () => (schemas: object, options?: object) => (route: { readonly schema: object }) => Serializer;

/** Fastify's own compiler, which is a dependency of Fastify and not of ours. */
const COMPILER = '@fastify/fast-json-stringify-compiler';
const build = createRequire(import.meta.resolve('fastify'))(COMPILER) as Build;
const compile = build()({});
const compiled = new Map<string, Serializer>();

/**
 * Compiles each schema of a reply once per process, when it is first used: it takes longer than anything else in starting
 * a service, and a test file starts many that each serve a few routes.
 */
export const compileOnce: FastifySerializerCompiler<object> = ({ schema }) => {
  const text = JSON.stringify(schema);
  return (data) => {
    const serialize = compiled.get(text) ?? compile({ schema });
    compiled.set(text, serialize);
    return serialize(data);
  };
};
