import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { bestSections, sectionsOf } from './docs-search.ts';
import { serveMcp, type Tool } from './protocol.ts';

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
/** A destructive, idempotent tool that is only offered on Mondays. */
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

/** Sends lines to a server and ends its input. @returns its responses, and the incidents that it reported */
async function converse(lines: readonly string[], tools: readonly Tool[] = [add]) {
  const output = new PassThrough();
  const incidents: string[] = [];
  const input = Readable.from(lines.map((line) => Buffer.from(`${line}\n`)));
  await serveMcp({ ...options, tools }, input, output, ({ message }) => incidents.push(message));
  output.end();
  const printed = (await text(output)).split('\n').filter((line) => line !== '');
  return { answers: printed.map((line) => JSON.parse(line) as { id: unknown; result?: object }), incidents };
}

const ask = async (message: object, tools?: readonly Tool[]): Promise<unknown> =>
  (await converse([JSON.stringify(message)], tools)).answers[0];

const call = (params: object) => ask({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const said = (words: string, isError = true) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text: words }], isError },
});

describe('the protocol', () => {
  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
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
    const listed = (isMonday: boolean) =>
      ask({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, [add, remove(isMonday)]);
    expect(await listed(true)).toMatchObject({
      result: {
        tools: [
          { name: 'add', annotations: { readOnlyHint: true } },
          {
            name: 'remove',
            annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
          },
        ],
      },
    });
    expect(await listed(false)).toMatchObject({ result: { tools: [{ name: 'add' }] } });
  });

  it('speaks the revision of 2026-07-28 too, which needs no handshake', async () => {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'add', arguments: { to: 1 }, _meta: envelope };
    expect(await ask({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toMatchObject({
      id: 1,
      result: { content: [{ type: 'text', text: '{\n  "sum": 2\n}' }], isError: false },
    });
  });

  it('runs a tool and returns errors as text', async () => {
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
    ['nothing', {}, -32_601],
    ['tools/call', { name: 'none' }, -32_602],
    ['tools/call', { name: 'add', arguments: 'to' }, -32_602],
  ])('answers %s with %j by an error', async (method, params, code) => {
    expect(await ask({ jsonrpc: '2.0', id: 3, method, params })).toMatchObject({ id: 3, error: { code } });
  });

  it.each([
    ['no JSON', 0],
    ['[]', 1],
    ['{"jsonrpc":"1.0","id":3,"method":"ping"}', 1],
  ])('gives no answer to %s, and goes on', async (line, count) => {
    const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
    const { answers, incidents } = await converse([ping(1), line, ping(2)]);
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(incidents).toHaveLength(count);
  });

  it('answers what is under way when the input ends', async () => {
    let finish = () => {};
    const waiting = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow: Tool = { ...add, run: () => waiting.then(() => 'done') };
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'add', arguments: { to: 1 } },
    };
    const conversation = converse(
      [JSON.stringify(request), '', '{"jsonrpc":"2.0","id":2,"method":"ping"}'],
      [slow],
    );
    setTimeout(finish, 50);
    const { answers } = await conversation;
    expect(answers.map(({ id }) => id)).toEqual([2, 1]);
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
