import { describe, expect, it } from 'vitest';
import { reply, type Step, scriptedTransport } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { tokenCache } from './token-cache.ts';

const access = { baseUrl: 'https://api-m.example', clientId: 'client', clientSecret: 'secret' };
const issued = (token: string, expires_in: unknown = 3600) =>
  reply(200, { access_token: token, token_type: 'Bearer', expires_in });

function cache(...steps: Step[]) {
  const { transport, sent } = scriptedTransport(steps);
  let seconds = 0;
  return {
    sent,
    advance: (by: number) => {
      seconds += by;
    },
    tokens: tokenCache({ transport, now: () => new Date(Date.UTC(2026, 10, 20, 12, 0, seconds)) }),
  };
}

describe('tokenCache', () => {
  it('requests a token with client credentials', async () => {
    const { tokens, sent } = cache(issued('t1'));
    expect(await tokens.get(access)).toBe('t1');
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://api-m.example/v1/oauth2/token',
      headers: {
        authorization: `Basic ${Buffer.from('client:secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    expect(sent[0]?.body.toString()).toBe('grant_type=client_credentials');
  });

  it('keeps a token until a minute before it expires', async () => {
    const { tokens, sent, advance } = cache(issued('t1'), issued('t2'));
    await tokens.get(access);
    advance(3539);
    expect(await tokens.get(access)).toBe('t1');
    advance(1);
    expect(await tokens.get(access)).toBe('t2');
    expect(sent).toHaveLength(2);
  });

  it.each([null, 'soon', 30])('does not keep a token that expires %j', async (lifetime) => {
    const { tokens, sent } = cache(issued('t1', lifetime));
    await tokens.get(access);
    expect(await tokens.get(access)).toBe('t1');
    expect(sent).toHaveLength(2);
  });

  it('concurrent callers share one request, and its failure', async () => {
    const { tokens, sent } = cache(reply(503), issued('t1'));
    const ask = () => Promise.all([tokens.get(access), tokens.get(access), tokens.get(access)]);
    for (const answer of await ask()) {
      expect(answer).toMatchObject({ kind: 'not_executed', answer: 'provider_unavailable' });
    }
    expect(await ask()).toEqual(['t1', 't1', 't1']);
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['another client', { ...access, clientId: 'other' }],
    ['another secret', { ...access, clientSecret: 'other' }],
    ['another upstream', { ...access, baseUrl: 'https://other.example' }],
  ])('has a token of its own for %s', async (_, other) => {
    const { tokens } = cache(issued('t1'), issued('t2'));
    expect(await tokens.get(access)).toBe('t1');
    expect(await tokens.get(other)).toBe('t2');
    expect(await tokens.get(access)).toBe('t1');
  });

  it('drops the refused token, not a newer one', async () => {
    const { tokens, sent } = cache(issued('t1'), issued('t2'));
    await tokens.get(access);
    tokens.drop(access, 't1');
    expect(await tokens.get(access)).toBe('t2');
    tokens.drop(access, 't1');
    expect(await tokens.get(access)).toBe('t2');
    expect(sent).toHaveLength(2);
  });

  it.each([
    [reply(401, { error: 'invalid_client' }), 'provider_error', 'token status 401'],
    [reply(500), 'provider_error', 'token status 500'],
    [reply(502), 'provider_unavailable', 'token status 502'],
    [reply(429), 'provider_unavailable', 'token status 429'],
    [reply(200, '<html>'), 'provider_error', 'token status 200'],
    [reply(200, { access_token: 'a\r\nb' }), 'provider_error', 'token status 200'],
    [new TransportError('timeout'), 'provider_unavailable', 'token timeout'],
    [new TransportError('not_sent'), 'provider_unavailable', 'token not_sent'],
  ])('%# reports that nothing was carried out: %s, %s', async (step, answer, reason) => {
    expect(await cache(step).tokens.get(access)).toMatchObject({ kind: 'not_executed', answer, reason });
  });
});
