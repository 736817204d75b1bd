import type { Meter } from '../metering/meter.ts';
import { createToolCall, type Exchange } from './call.ts';
import type { Protocol } from './protocol.ts';
import { createTools, type ToolServices } from './tools.ts';

/**
 * Tools for assistants (Model Context Protocol) over the same services as the API. This folder owns the tools, their texts and their
 * charges, and knows the protocol. It does not own the endpoint: `http/routes/mcp.ts` authenticates requests and passes them here.
 */
export interface Mcp {
  /** Answers one message, which is the body of the request. */
  answer(request: Request, message: unknown, exchange: Exchange): Promise<Response>;
}

export interface McpServices extends ToolServices {
  readonly version: string;
  readonly meter: Meter;
}

export function createMcp(services: McpServices): Mcp {
  const { version, meter } = services;
  let protocol: Promise<Protocol> | undefined;

  async function load(): Promise<Protocol> {
    const { createProtocol } = await import('./protocol.ts');
    const tools = createTools(services);
    const call = new Map(tools.map((tool) => [tool.name, createToolCall(tool, meter)]));
    return createProtocol({ version, tools, call });
  }

  return {
    async answer(request, message, exchange) {
      protocol ??= load();
      return (await protocol).answer(request, message, exchange);
    },
  };
}
