import { describe, expect, it } from 'vitest';
import { ApiError, createClient } from './client.ts';

const operations = {
  retrieveSession: ['GET', '/session'],
  listThings: ['GET', '/accounts/:account/things'],
  makeThing: ['POST', '/accounts/:account/things'],
  upload: ['POST', '/files', 'file'],
} as const;

const refuse = (status: number, code: string, headers = {}) =>
  Response.json(
    { error: { code, message: `m:${code}`, param: 'amount', request_id: 'req_1' } },
    { status, headers },
  );

/** A client with a fake server that returns these responses in order, and the requests that it received. */
function clientWith(answers: (() => Response)[], confirm = async () => true) {
  const asked: { url: string; init: RequestInit }[] = [];
  let signedOut = 0;
  const client = createClient({
    operations,
    fetch: async (url, init) => {
      asked.push({ url: url as string, init: init ?? {} });
      const next = answers.shift();
      if (next === undefined) throw new TypeError('failed to fetch');
      return next();
    },
    signedOut: () => {
      signedOut += 1;
    },
    confirm,
  });
  const header = (at: number, name: string) => new Headers(asked[at]?.init.headers).get(name);
  return { client, asked, header, signedOut: () => signedOut };
}

const session = () => Response.json({ csrf_token: 'token_1' });

describe('the client', () => {
  it('fills path and query and leaves out what is undefined', async () => {
    const { client, asked } = clientWith([() => Response.json({ data: [] })]);
    await client.call('listThings', {
      params: { account: 'a/b' },
      query: { page: 2, status: undefined, q: '', kind: ['x', 'y'] },
    });
    expect(asked[0]?.url).toBe('/dashboard/api/accounts/a%2Fb/things?page=2&kind=x&kind=y');
    expect(asked[0]?.init.method).toBe('GET');
  });

  it('reports how old a response is that was read from a standby', async () => {
    const old = Response.json({ data: [] }, { headers: { 'till-data-age': '3' } });
    const { client } = clientWith([() => old, () => Response.json({ data: [] })]);
    const ages: unknown[] = [];
    const input = { params: { account: 'a' }, onAge: (seconds?: number) => void ages.push(seconds) };
    await client.call('listThings', input);
    await client.call('listThings', input);
    expect(ages).toEqual([3, undefined]);
  });

  it('sends the CSRF token and the idempotency key with a change', async () => {
    const { client, asked, header } = clientWith([session, () => Response.json({ id: 1 }, { status: 201 })]);
    await client.call('retrieveSession');
    const answer = await client.call('makeThing', {
      params: { account: 'a' },
      body: { amount: 1 },
      idempotencyKey: 'k',
    });
    expect(answer).toEqual({ id: 1 });
    expect(header(0, 'x-csrf-token')).toBeNull();
    expect(header(1, 'x-csrf-token')).toBe('token_1');
    expect(header(1, 'idempotency-key')).toBe('k');
    expect(header(1, 'content-type')).toBe('application/json');
    expect(asked[1]?.init.body).toBe('{"amount":1}');
  });

  it('throws the error of the server: code, message, field, request id', async () => {
    const { client } = clientWith([() => refuse(429, 'too_many_attempts', { 'retry-after': '30' })]);
    const error = await client.call('listThings', { params: { account: 'a' } }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 429,
      code: 'too_many_attempts',
      message: 'm:too_many_attempts',
      param: 'amount',
      requestId: 'req_1',
      retryAfter: 30,
    });
  });

  it('throws where the server cannot be reached or its response is not JSON', async () => {
    const { client } = clientWith([() => new Response('bad gateway', { status: 502 })]);
    await expect(client.call('retrieveSession')).rejects.toMatchObject({
      status: 502,
      code: 'internal_error',
    });
    await expect(client.call('retrieveSession')).rejects.toMatchObject({ status: 0, code: 'network_error' });
  });

  it('asks for the password once and repeats the call', async () => {
    const { client, asked } = clientWith([
      () => refuse(401, 'confirmation_required'),
      () => Response.json({ done: true }),
    ]);
    await expect(client.call('makeThing', { params: { account: 'a' } })).resolves.toEqual({ done: true });
    expect(asked).toHaveLength(2);
  });

  it('gives up where the person does not confirm', async () => {
    const { client, asked } = clientWith([() => refuse(401, 'confirmation_required')], async () => false);
    await expect(client.call('makeThing', { params: { account: 'a' } })).rejects.toMatchObject({
      code: 'confirmation_required',
    });
    expect(asked).toHaveLength(1);
  });

  it('takes the new CSRF token after another tab signed in, and retries once', async () => {
    const { client, asked, header } = clientWith([
      () => refuse(403, 'csrf_failed'),
      session,
      () => refuse(403, 'csrf_failed'),
    ]);
    await expect(client.call('makeThing', { params: { account: 'a' } })).rejects.toMatchObject({
      code: 'csrf_failed',
    });
    expect(asked).toHaveLength(3);
    expect(header(2, 'x-csrf-token')).toBe('token_1');
  });

  it('sends nothing again as somebody else who has signed in in another tab', async () => {
    const sessionOf = (id: string) => () => Response.json({ csrf_token: `token_${id}`, user: { id } });
    const { client, asked, signedOut } = clientWith([
      sessionOf('usr_1'),
      () => refuse(403, 'csrf_failed'),
      sessionOf('usr_2'),
      () => Response.json({ id: 'thing_1' }),
    ]);
    await client.call('retrieveSession');
    await expect(client.call('makeThing', { params: { account: 'a' } })).rejects.toMatchObject({
      code: 'csrf_failed',
      message: expect.stringContaining('Somebody else'),
    });
    expect(asked).toHaveLength(3);
    expect(signedOut()).toBe(1);
  });

  it('says what to do where another request was sent under the same key', async () => {
    const { client } = clientWith([() => refuse(409, 'key_reused')]);
    await expect(client.call('makeThing', { params: { account: 'a' } })).rejects.toMatchObject({
      code: 'key_reused',
      message: expect.stringContaining('What you asked for before has arrived'),
    });
  });

  it('reports that the session has ended', async () => {
    const { client, signedOut } = clientWith([() => refuse(401, 'not_signed_in')]);
    await expect(client.call('retrieveSession')).rejects.toMatchObject({ code: 'not_signed_in' });
    expect(signedOut()).toBe(1);
  });

  it('sends a file as a form and leaves the content type to the browser', async () => {
    const { client, asked, header } = clientWith([() => Response.json({ id: 'file_1' })]);
    await client.call('upload', { file: new File(['x'], 'x.pdf') });
    expect(header(0, 'content-type')).toBeNull();
    const form = asked[0]?.init.body as FormData | undefined;
    expect(form?.get('file')).toBeInstanceOf(File);
  });
});
