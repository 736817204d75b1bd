import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the port that all threads will listen on, or undefined if the system lets only one socket listen (macOS,
 * Windows). The port is first opened exclusively, which fails if another process listens there: sharing it would silently
 * give that process half of the connections. Port 0 becomes the port that the system chooses.
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
