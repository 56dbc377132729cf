import { describe, expect, it } from 'vitest';
import { bestSections, sectionsOf } from './docs-search.ts';
import { answerLine, serveMcp, type Tool } from './protocol.ts';

const add: Tool = {
  name: 'add',
  description: 'Adds one.',
  properties: {
    to: { type: 'integer', description: 'A number.', minimum: 1, maximum: 9 },
    how: { type: 'string', description: 'How.', enum: ['fast', 'slow'] },
  },
  required: ['to'],
  run: async ({ to, how }) => {
    if (how === 'slow') throw new Error('too slow');
    return { sum: Number(to) + 1 };
  },
};
/** Takes something away, once for the same arguments; there on Mondays only. */
const remove = (isMonday: boolean): Tool => ({
  name: 'remove',
  description: 'Removes one.',
  writes: { destructive: true, idempotent: true },
  properties: {},
  required: [],
  offered: async () => isMonday,
  run: async () => ({ removed: isMonday }),
});
const options = { name: 'till', version: '1', instructions: 'Ask.', tools: [add] };

async function ask(message: unknown): Promise<unknown> {
  const text = await answerLine(options, typeof message === 'string' ? message : JSON.stringify(message));
  return text === undefined ? undefined : JSON.parse(text);
}

const call = (params: object) => ask({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const said = (text: string, isError = true) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text }], isError },
});

describe('the protocol', () => {
  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-06-18'],
  ])('agrees on a version: asked for %s it says %s', async (asked, agreed) => {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    expect(await ask({ jsonrpc: '2.0', id: 'a', method: 'initialize', params })).toMatchObject({
      id: 'a',
      result: { protocolVersion: agreed, capabilities: { tools: {} }, serverInfo: { name: 'till' } },
    });
  });

  it('answers ping, and notifications not at all', async () => {
    expect(await ask({ jsonrpc: '2.0', id: 7, method: 'ping' })).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {},
    });
    expect(await ask({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined();
  });

  it('lists its tools with the schemas of their arguments', async () => {
    expect(await ask({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).toMatchObject({
      result: {
        tools: [
          {
            name: 'add',
            inputSchema: { type: 'object', required: ['to'], additionalProperties: false },
            annotations: { readOnlyHint: true },
          },
        ],
      },
    });
  });

  it('lists with hints what a writing tool does, and only what can work here', async () => {
    const listed = async (isMonday: boolean) => {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const text = await answerLine({ ...options, tools: [add, remove(isMonday)] }, message);
      return (JSON.parse(text ?? '') as { result: { tools: object[] } }).result.tools;
    };
    expect(await listed(true)).toMatchObject([
      { name: 'add', annotations: { readOnlyHint: true } },
      {
        name: 'remove',
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      },
    ]);
    expect(await listed(false)).toMatchObject([{ name: 'add' }]);
  });

  it('runs a tool and tells what went wrong in words', async () => {
    expect(await call({ name: 'add', arguments: { to: 1 } })).toEqual(said('{\n  "sum": 2\n}', false));
    expect(await call({ name: 'add', arguments: { to: 1, how: 'slow' } })).toEqual(said('too slow'));
  });

  it.each([
    [{}, 'to is missing'],
    [{ to: 0 }, 'to must be an integer from 1 to 9'],
    [{ to: '1' }, 'to must be an integer from 1 to 9'],
    [{ to: 1, how: 'odd' }, 'how must be one of fast, slow'],
    [{ to: 1, how: 1 }, 'how must be a string'],
    [{ to: 1, more: 1 }, 'more is not known'],
    [{ to: 1, constructor: 'x' }, 'constructor is not known'],
  ])('refuses the arguments %j', async (args, words) => {
    expect(await call({ name: 'add', arguments: args })).toEqual(said(words));
  });

  it.each([
    ['no JSON', -32_700, null],
    [[], -32_600, null],
    [{ jsonrpc: '1.0', id: 3, method: 'ping' }, -32_600, 3],
    [{ jsonrpc: '2.0', id: 3, method: 'nothing' }, -32_601, 3],
    [{ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'none' } }, -32_602, 3],
  ])('answers %j with an error', async (message, code, id) => {
    expect(await ask(message)).toMatchObject({ id, error: { code } });
  });

  it('answers what is under way when the input ends', async () => {
    const lines: string[] = [];
    async function* input() {
      yield JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'add', arguments: { to: 1 } },
      });
      yield '';
      yield JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    }
    await serveMcp(options, input(), (line) => lines.push(line));
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id).toSorted()).toEqual([1, 2]);
  });
});

describe('the search in the documentation', () => {
  const page =
    '# Refunds\n\nGive money back.\n\n```sh\n# no heading\ncurl\n```\n\n## Partial\n\nA part of the money.\n';

  it('reads a page as its headings divide it, and leaves code alone', () => {
    expect(sectionsOf('u', page).map(({ heading }) => heading)).toEqual(['Refunds', 'Partial']);
  });

  it('prefers headings and rare words, and finds nothing where nothing fits', () => {
    const sections = sectionsOf('u', page);
    expect(bestSections(sections, 'partial money', 1)[0]?.heading).toBe('Partial');
    expect(bestSections(sections, 'giraffe', 3)).toEqual([]);
  });
});
