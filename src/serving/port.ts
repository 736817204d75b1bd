import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * The port that all threads will listen on; undefined where the system lets only one listen (macOS, Windows). It is taken alone
 * first, which fails when anybody else listens there: a second server that shares the port would get half of the connections,
 * and nobody would be told. Port 0 becomes the one the system has chosen.
 */
export async function claimSharedPort({ host, port: wanted }: Address): Promise<number | undefined> {
  const port = await listenOnce({ host, port: wanted });
  try {
    return await listenOnce({ host, port, reusePort: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTSUP') return undefined;
    throw error;
  }
}

function listenOnce(options: Address & { readonly reusePort?: true }): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(options, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
