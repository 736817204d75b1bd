import type { FastifyReply } from 'fastify';

/** Adds the name of a request header that the reply depends on. */
export function addVary(reply: FastifyReply, name: string): void {
  const names = String(reply.getHeader('vary') ?? '');
  if (names.split(', ').includes(name)) return;
  reply.header('vary', names === '' ? name : `${names}, ${name}`);
}
