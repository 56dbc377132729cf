import { Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolDescription,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { nextIteration } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/text/message-of.ts';

export interface Property {
  readonly type: 'string' | 'integer';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

export type Arguments = Readonly<Record<string, string | number | undefined>>;

/** Hints for a tool that changes something (MCP specification, "ToolAnnotations"). */
export interface Writing {
  /** The tool irreversibly changes or ends existing objects; if false, it only creates new ones. */
  readonly destructive: boolean;
  /** Repeating a call with the same arguments has no further effect. */
  readonly idempotent: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Set if the tool changes something; absent if it only reads. */
  readonly writes?: Writing;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
  /**
   * Whether the tool can work at the moment; absent means always. A tool that cannot is not listed, and a call to it returns
   * the reason.
   */
  offered?(): Promise<boolean>;
  /** @returns the result, which the agent gets as JSON. Rejects with a message for the agent if the call failed */
  run(args: Arguments): Promise<unknown>;
}

/** Describes the fault of one value; undefined if it is valid. */
function faultOfValue(property: Property, value: unknown): string | undefined {
  if (property.type === 'string') {
    if (typeof value !== 'string') return 'must be a string';
    return property.enum === undefined || property.enum.includes(value)
      ? undefined
      : `must be one of ${property.enum.join(', ')}`;
  }
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = property;
  const fits = Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  return fits ? undefined : `must be an integer from ${minimum} to ${maximum}`;
}

/** Describes the fault of a call's arguments; undefined if they are valid. */
function faultOf(
  { properties, required }: Tool,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const fault = property === undefined ? 'is not known' : faultOfValue(property, value);
    if (fault !== undefined) return `${name.slice(0, 50)} ${fault}`;
  }
  return undefined;
}

function describe({ name, description, writes, properties, required }: Tool): ToolDescription {
  const schema: object = { type: 'object', properties, required, additionalProperties: false };
  return {
    name,
    description,
    inputSchema: schema as ToolDescription['inputSchema'],
    annotations:
      writes === undefined
        ? { readOnlyHint: true }
        : { readOnlyHint: false, destructiveHint: writes.destructive, idempotentHint: writes.idempotent },
  };
}

async function listTools(tools: readonly Tool[]): Promise<ToolDescription[]> {
  const offered = await Promise.all(tools.map(async (tool) => (await tool.offered?.()) ?? true));
  return tools.filter((_tool, index) => offered[index]).map(describe);
}

/** @throws ProtocolError for an unknown tool. Every other failure is returned to the agent as the tool's result */
async function callTool(
  tools: readonly Tool[],
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
  const result = (text: string, isError: boolean): CallToolResult => ({
    content: [{ type: 'text', text }],
    isError,
  });
  const fault = faultOf(tool, given);
  if (fault !== undefined) return result(fault, true);
  try {
    // `faultOf` has checked that there are only strings and numbers under known names.
    return result(JSON.stringify(await tool.run(given as Arguments), null, 2), false);
  } catch (error) {
    return result(messageOf(error), true);
  }
}

export interface McpServerOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

/** Tracks the calls in flight: the library would drop their responses once the input has ended. */
class Calls {
  readonly #underWay = new Set<Promise<unknown>>();

  async note<T>(call: Promise<T>): Promise<T> {
    this.#underWay.add(call);
    try {
      return await call;
    } finally {
      this.#underWay.delete(call);
    }
  }

  /** Passes the input on, and ends only when every call in it has been answered. */
  async *until(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    yield* input;
    // Reading a message, like writing a response, takes one iteration of the event loop.
    await nextIteration();
    while (this.#underWay.size > 0) {
      await Promise.allSettled(this.#underWay);
      await nextIteration();
    }
  }
}

/**
 * Serves tools by the Model Context Protocol until the input ends. Resolves once the calls in flight have been answered. Calls
 * may run concurrently.
 * @param onIncident called for JSON that is not a message of the protocol, which gets no response
 */
export async function serveMcp(
  { name, version, instructions, tools }: McpServerOptions,
  input: Readable,
  output: Writable,
  onIncident: (error: Error) => void,
): Promise<void> {
  const calls = new Calls();
  const create = () => {
    const server = new Server({ name, version }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', async () => ({ tools: await calls.note(listTools(tools)) }));
    server.setRequestHandler('tools/call', ({ params }) =>
      calls.note(callTool(tools, params.name, params.arguments ?? {})),
    );
    return server;
  };
  const open = Readable.from(calls.until(input), { objectMode: false });
  serveStdio(create, { transport: new StdioServerTransport(open, output), onerror: onIncident });
  await finished(open);
}
