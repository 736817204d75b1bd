import type { TestService } from '../harness/service.ts';

/** What a load balancer sees. */
export async function readStatus({ client }: TestService): Promise<number> {
  return (await client.get('/api/v1/health/ready')).status;
}
