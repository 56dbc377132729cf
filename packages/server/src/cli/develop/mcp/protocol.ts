/**
 * The part of the Model Context Protocol that a server of tools needs: JSON-RPC 2.0, one message per line (specification
 * of 2025-06-18, "Lifecycle", "Tools", "Transports").
 */
const versions = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;

const parseError = -32_700;
const invalidRequest = -32_600;
const methodNotFound = -32_601;
const invalidParams = -32_602;

type Id = string | number;

export interface Property {
  readonly type: 'string' | 'integer';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

export type Arguments = Readonly<Record<string, string | number | undefined>>;

/** How a tool changes something (specification, "ToolAnnotations"). */
export interface Writing {
  /** It changes or ends what is there and cannot be taken back; otherwise it only adds. */
  readonly destructive: boolean;
  /** The same call with the same arguments has no further effect. */
  readonly idempotent: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Changes something; absent: it only reads. */
  readonly writes?: Writing;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
  /** Whether it can work here and now; absent: always. What cannot is not listed, and says why when it is called. */
  offered?(): Promise<boolean>;
  /** @returns what the agent reads, as JSON. Rejects with words for it where it did not work */
  run(args: Arguments): Promise<unknown>;
}

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const isId = (value: unknown): value is Id => typeof value === 'string' || typeof value === 'number';

/** What is wrong with one value; undefined: nothing. */
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

/** What is wrong with the arguments of a call; undefined: nothing. */
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

const describe = ({ name, description, writes, properties, required }: Tool) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  annotations:
    writes === undefined
      ? { readOnlyHint: true }
      : { readOnlyHint: false, destructiveHint: writes.destructive, idempotentHint: writes.idempotent },
});

async function listTools(tools: readonly Tool[]): Promise<object[]> {
  const offered = await Promise.all(tools.map(async (tool) => (await tool.offered?.()) ?? true));
  return tools.filter((_tool, index) => offered[index]).map(describe);
}

async function callTool(tools: readonly Tool[], params: Readonly<Record<string, unknown>>) {
  const tool = tools.find(({ name }) => name === params.name);
  if (tool === undefined)
    return { error: { code: invalidParams, message: `Unknown tool: ${String(params.name)}` } };
  const given = asObject(params.arguments);
  const fault = faultOf(tool, given);
  const text = (value: string, isError: boolean) => ({
    result: { content: [{ type: 'text', text: value }], isError },
  });
  if (fault !== undefined) return text(fault, true);
  try {
    // Checked: strings and numbers under known names.
    return text(JSON.stringify(await tool.run(given as Arguments), null, 2), false);
  } catch (error) {
    return text(error instanceof Error ? error.message : String(error), true);
  }
}

export interface McpServerOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

/**
 * Answers one line.
 * @returns the answer as one line; undefined where none is due
 */
export async function answerLine(options: McpServerOptions, line: string): Promise<string | undefined> {
  const answer = (id: Id | null, outcome: object) => JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
  let message: Message;
  try {
    message = JSON.parse(line) as Message;
  } catch {
    return answer(null, { error: { code: parseError, message: 'This line is no JSON.' } });
  }
  const { jsonrpc, id, method, params } = asObject(message);
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    // An answer to us: we ask for nothing.
    if (isId(id) && method === undefined && jsonrpc === '2.0') return undefined;
    return answer(isId(id) ? id : null, {
      error: { code: invalidRequest, message: 'One JSON-RPC 2.0 request or notification was expected.' },
    });
  }
  if (!isId(id)) return undefined;
  switch (method) {
    case 'initialize': {
      const asked = asObject(params).protocolVersion;
      const { name, version, instructions } = options;
      return answer(id, {
        result: {
          protocolVersion: versions.find((one) => one === asked) ?? versions[0],
          capabilities: { tools: {} },
          serverInfo: { name, version },
          instructions,
        },
      });
    }
    case 'ping':
      return answer(id, { result: {} });
    case 'tools/list':
      return answer(id, { result: { tools: await listTools(options.tools) } });
    case 'tools/call':
      return answer(id, await callTool(options.tools, asObject(params)));
    default:
      return answer(id, {
        error: { code: methodNotFound, message: `Unknown method: ${method.slice(0, 100)}` },
      });
  }
}

/**
 * Serves until the input ends or the signal aborts; calls under way are answered before it resolves. Several calls may run
 * at once.
 */
export async function serveMcp(
  options: McpServerOptions,
  input: AsyncIterable<string>,
  print: (line: string) => void,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const answer = async (line: string) => {
    const text = await answerLine(options, line);
    if (text !== undefined) print(text);
  };
  for await (const line of input) {
    if (line.trim() === '') continue;
    const answering = answer(line);
    underWay.add(answering);
    void answering.finally(() => underWay.delete(answering));
  }
  await Promise.all(underWay);
}
