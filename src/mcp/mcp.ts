import { createToolCall, type Session } from './call.ts';
import type { Protocol } from './protocol.ts';
import { createTools, type ToolServices } from './tools.ts';

/**
 * Tools for assistants (Model Context Protocol) over the same services as the API. This folder owns the tools and their texts,
 * and knows the protocol. It does not own the endpoint: `http/routes/mcp.ts` passes messages here, and charges for calls.
 */
export interface Mcp {
  /** Answers one message, which is the body of the request. */
  answer(request: Request, message: unknown, session: Session): Promise<Response>;
}

interface McpServices extends ToolServices {
  readonly version: string;
}

export function createMcp(services: McpServices): Mcp {
  const { version } = services;
  let protocol: Promise<Protocol> | undefined;

  async function load(): Promise<Protocol> {
    const { createProtocol } = await import('./protocol.ts');
    const tools = createTools(services);
    const call = new Map(tools.map((tool) => [tool.name, createToolCall(tool)]));
    return createProtocol({ version, tools, call });
  }

  return {
    async answer(request, message, session) {
      protocol ??= load();
      return (await protocol).answer(request, message, session);
    },
  };
}
