import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { Merchant, target, tillRaw } from '../../support/merchant.ts';
import { temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const bin = fileURLToPath(new URL('../../../packages/server/bin/till.js', import.meta.url));
const cleanUp = new CleanUp();
let shop: Merchant;
let payment: string;

interface Answer {
  readonly id: number;
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly tools?: readonly {
      readonly name: string;
      readonly annotations: Readonly<Record<string, boolean>>;
      readonly inputSchema: { readonly required: readonly string[] };
    }[];
    readonly protocolVersion?: string;
  };
}

/** Starts the command the way an agent's program does: with the key in its environment and messages through pipes. */
function startAgent(key: string, ...parameters: string[]) {
  return startAgentIn(target().environment, key, ...parameters);
}

/** Starts the command with an environment that may differ from the server's. */
function startAgentIn(environment: Readonly<Record<string, string>>, key: string, ...parameters: string[]) {
  const child = spawn(process.execPath, [bin, 'mcp', '--server', target().baseUrl, ...parameters], {
    env: { PATH: process.env.PATH ?? '', ...environment, TILL_API_KEY: key },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const answers: Answer[] = [];
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  createInterface({ input: child.stdout }).on('line', (line) => answers.push(JSON.parse(line) as Answer));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  cleanUp.add(() => {
    child.kill('SIGKILL');
    return ended;
  });
  let last = 0;
  const ask = async (method: string, params: object = {}): Promise<Answer> => {
    last += 1;
    const id = last;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    await until(`${method} is answered`, async () => answers.some((answer) => answer.id === id));
    return answers.find((answer) => answer.id === id) ?? { id };
  };
  const call = async (name: string, args: object) => {
    const { result } = await ask('tools/call', { name, arguments: args });
    const text = result?.content?.[0]?.text ?? '';
    return {
      isError: result?.isError,
      text,
      value: result?.isError === false ? JSON.parse(text) : undefined,
    };
  };
  return { child, ask, call, ended, err: () => err };
}

/** Creates a key with which an agent may change something. @param limits options of `till keys create` */
async function restrictedKey({ id }: Merchant, ...limits: string[]): Promise<string> {
  const permissions = 'payments:*,refunds:write,links:write,approvals:read';
  const make = ['keys', 'create', '--account', id, '--permissions', permissions, ...limits, '--json'];
  return (JSON.parse((await tillRaw(...make)).out) as { secret_key: string }).secret_key;
}

beforeAll(async () => {
  shop = await Merchant.open();
  payment = (await shop.pay()).body.id;
});
afterAll(cleanUp.run);

describe('till mcp', () => {
  it('initializes, lists read-only tools, and exits when its input ends', async () => {
    const agent = startAgent(shop.key);
    const hello = await agent.ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect(hello.result?.protocolVersion).toBe('2025-06-18');
    const { result } = await agent.ask('tools/list');
    expect(result?.tools?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['search_docs', 'get_payment', 'get_refund', 'get_customer', 'list_events']),
    );
    expect(result?.tools?.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
    const refused = await agent.ask('tools/call', { name: 'refund_payment', arguments: { payment } });
    expect(refused).toMatchObject({ error: { code: -32_602 } });
    agent.child.stdin.end();
    expect(await agent.ended).toBe(0);
    expect(agent.err()).toBe('');
  });

  it("reads the account's payments, events, requests and the documentation", async () => {
    const agent = startAgent(shop.key);
    expect((await agent.call('get_payment', { id: payment })).value).toMatchObject({ id: payment });
    const events = await agent.call('list_events', { type: 'payment.succeeded' });
    expect(events.value.data[0].data.object.id).toBe(payment);
    const other = await Merchant.open();
    const foreign = (await other.pay()).body.id;
    expect(await agent.call('get_payment', { id: foreign })).toMatchObject({ isError: true });
    await shop.pay({ amount: 0 });
    await until('the log has the refusal', async () => {
      const { value } = await agent.call('search_request_logs', { status: '4xx', code: 'invalid_params' });
      return value?.data.length > 0;
    });
    const { value } = await agent.call('search_request_logs', { code: 'invalid_params' });
    const request = await agent.call('get_request', { id: value.data[0].id });
    expect(request.text).toContain('"amount": 0');
    expect(request.text).not.toContain('4111111111111111');
    const docs = await agent.call('search_docs', { query: 'refund part of a payment', limit: 3 });
    expect(docs.value.length).toBeGreaterThan(0);
    expect(docs.value[0].url).toContain('/docs/');
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
  });

  it('writes only with the option, in the sandbox, once for each idempotency key', async () => {
    const agent = startAgent(await restrictedKey(shop), '--allow-writes');
    const charge = { amount: 1200, currency: 'EUR', idempotency_key: randomUUID() };
    const made = await agent.call('create_test_payment', charge);
    expect(made.value).toMatchObject({
      status: expect.stringMatching(/succeeded|requires_action/),
      amount: 1200,
    });
    expect((await agent.call('create_test_payment', charge)).value.id).toBe(made.value.id);
    const another = await agent.call('create_test_payment', { ...charge, idempotency_key: randomUUID() });
    expect(another.value.id).not.toBe(made.value.id);
    const without = await agent.call('create_test_payment', { amount: 1200, currency: 'EUR' });
    expect(without).toMatchObject({ isError: true, text: 'idempotency_key is missing' });
    const declined = await agent.call('create_test_payment', {
      ...charge,
      idempotency_key: randomUUID(),
      outcome: 'is_declined',
    });
    expect(declined.value).toMatchObject({ status: 'failed' });
    const part = { payment, amount: 100, idempotency_key: randomUUID() };
    const refund = await agent.call('refund_payment', part);
    expect(refund.value).toMatchObject({ object: 'refund', amount: 100 });
    expect((await agent.call('refund_payment', part)).value.id).toBe(refund.value.id);
    agent.child.stdin.end();
    expect(await agent.ended).toBe(0);
  });

  it('annotates each writing tool as destructive and as idempotent', async () => {
    const wallet = await Merchant.open('processor_b');
    const agent = startAgent(await restrictedKey(wallet), '--allow-writes');
    const { result } = await agent.ask('tools/list');
    const writing = result?.tools?.filter(({ annotations }) => annotations.readOnlyHint === false) ?? [];
    expect(
      writing.map(({ name, annotations }) => [name, annotations.destructiveHint, annotations.idempotentHint]),
    ).toEqual([
      ['create_test_payment', false, true],
      ['charge_saved_method', true, true],
      ['refund_payment', true, true],
      ['create_payment_link', false, true],
      ['capture_payment', true, true],
      ['void_payment', true, true],
    ]);
    for (const { inputSchema } of writing) expect(inputSchema.required).toContain('idempotency_key');
  });

  it('offers no holds on processor_a, and no request log without the database', async () => {
    const names = async (agent: ReturnType<typeof startAgent>) =>
      (await agent.ask('tools/list')).result?.tools?.map(({ name }) => name);
    const writing = await names(startAgent(await restrictedKey(shop), '--allow-writes'));
    expect(writing).toContain('refund_payment');
    expect(writing).not.toContain('capture_payment');
    expect(writing).not.toContain('void_payment');
    const beside = await names(startAgent(shop.key));
    expect(beside).toEqual(expect.arrayContaining(['search_request_logs', 'get_request']));
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const away = await names(startAgentIn({ TILL_DATA_DIR: folder.path }, shop.key));
    expect(away).toEqual(expect.arrayContaining(['search_docs', 'get_payment', 'list_events']));
    expect(away).not.toContain('search_request_logs');
    expect(away).not.toContain('get_request');
  });

  it('writes with a restricted key within its limits, and what is above waits for a person', async () => {
    const key = await restrictedKey(shop, '--max-amount', '900', '--approval-above', '300');
    const reading = (await startAgent(key).ask('tools/list')).result?.tools ?? [];
    expect(reading.map(({ name }) => name)).toContain('get_approval');
    expect(reading.filter(({ annotations }) => annotations.readOnlyHint === false)).toEqual([]);

    const agent = startAgent(key, '--allow-writes');
    const names = (await agent.ask('tools/list')).result?.tools?.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['charge_saved_method', 'refund_payment', 'get_approval']));
    expect(names).not.toContain('search_request_logs');
    const refund = (amount: number) =>
      agent.call('refund_payment', { payment, amount, idempotency_key: randomUUID() });
    expect((await refund(300)).value).toMatchObject({ object: 'refund', amount: 300 });
    const waits = (await refund(301)).value;
    expect(waits).toMatchObject({ object: 'approval', status: 'pending', amount: 301 });
    expect((await agent.call('get_approval', { id: waits.id })).value).toEqual(waits);
    expect(await refund(901)).toMatchObject({ isError: true, text: expect.stringContaining('at most 900') });
    const link = (args: object) =>
      agent.call('create_payment_link', {
        title: 'Course',
        currency: 'EUR',
        ...args,
        idempotency_key: randomUUID(),
      });
    expect((await link({ amount: 300, max_payments: 1 })).value).toMatchObject({
      object: 'payment_link',
      amount: 300,
      max_payments: 1,
    });
    expect((await link({ min_amount: 100, max_amount: 301 })).value).toMatchObject({
      object: 'approval',
      action: 'payment_link',
      amount: 301,
    });
    expect(await link({ amount: 901 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('at most 900'),
    });
    expect(await agent.call('get_customer', { id: 'cus_1' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('customers:read'),
    });
    agent.child.stdin.end();
    expect(await agent.ended).toBe(0);
  });

  it.each(['sandbox', 'live'])('refuses writes with a full key: %s', async (environment) => {
    const { key } = await Merchant.open('processor_a', '--environment', environment);
    const result = await tillRaw('mcp', '--allow-writes', '--api-key', key, '--json');
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.out)).toMatchObject({ error: { code: 'restricted_key_required' } });
  });
});
