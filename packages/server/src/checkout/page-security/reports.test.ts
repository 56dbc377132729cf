import { describe, expect, it } from 'vitest';
import { reportIntake } from './reports.ts';

function intake() {
  let now = 0;
  const reported: string[][] = [];
  const take = reportIntake(
    () => now,
    (directive, blocked) => reported.push([directive, blocked]),
  );
  return {
    reported,
    send: (body: unknown) => take(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const old = (blocked: string) => ({
  'csp-report': { 'violated-directive': 'img-src', 'blocked-uri': blocked },
});

describe('a report of a browser', () => {
  it('is reported by its directive and the origin of what was blocked, in both forms', () => {
    const { reported, send } = intake();
    send(old('https://evil.example/pixel?card=4111111111111111'));
    send([
      { type: 'csp-violation', body: { effectiveDirective: 'script-src-elem', blockedURL: 'inline' } },
      { type: 'deprecation', body: {} },
    ]);
    expect(reported).toEqual([
      ['img-src', 'https://evil.example'],
      ['script-src-elem', 'inline'],
    ]);
  });

  it.each(['', '{', '[]', 'null', '{"csp-report":7}', `"${'x'.repeat(20_000)}"`])(
    'that is none is dropped: %.20s',
    (body) => {
      const { reported, send } = intake();
      send(body);
      expect(reported).toEqual([]);
    },
  );

  it('is reported at most 60 times a minute', () => {
    const { reported, send, pass } = intake();
    for (let count = 0; count < 100; count += 1) send(old('https://evil.example/'));
    expect(reported).toHaveLength(60);
    pass(60_000);
    send(old('https://evil.example/'));
    expect(reported).toHaveLength(61);
  });
});
