import { beforeAll, describe, expect, it } from 'vitest';
import { freshEmail, Merchant, target, till, tillProcess, tillRaw } from '../../support/merchant.ts';
import { runCommand, runProcess } from '../../support/server.ts';
import { until } from '../../support/until.ts';

let shop: Merchant;
let payment: string;

beforeAll(async () => {
  shop = await Merchant.open();
  payment = (await shop.pay({ reference: 'order-77' })).body.id;
});

describe('till payments get', () => {
  it('shows the payment, the references of the upstream, and what happened', async () => {
    const refund = (await shop.post(`/api/v1/payments/${payment}/refunds`, { amount: 100 })).body.id;
    const shown = await till('payments', 'get', payment);
    expect(shown).toMatchObject({
      id: payment,
      account: shop.id,
      status: 'succeeded',
      reference: 'order-77',
      refunds: [{ id: refund, amount: 100 }],
      timeline: expect.arrayContaining([expect.objectContaining({ kind: 'payment.succeeded' })]),
    });
    expect(Object.keys(shown.upstream as object).length).toBeGreaterThan(0);
    const forPeople = await tillRaw('payments', 'get', payment);
    expect(forPeople.out).toContain('Timeline');
    expect(forPeople.out).toContain('payment.succeeded');
  });

  it('does not know others', async () => {
    const result = await tillRaw('payments', 'get', 'pay_000000000000000000000000', '--json');
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.out)).toMatchObject({ error: { code: 'payment_not_found' } });
  });
});

describe('till events', () => {
  it('lists, shows and resends', async () => {
    const endpoint = await till<{ id: string }>(
      'webhooks',
      'create',
      '--account',
      shop.id,
      '--url',
      'http://127.0.0.1:9/nobody',
    );
    const { data } = await till<{ data: { id: string; type: string; object: string }[] }>(
      'events',
      'list',
      '--account',
      shop.id,
      '--type',
      'payment.succeeded',
    );
    const [event] = data;
    expect(event).toMatchObject({ type: 'payment.succeeded', object: payment });
    const id = event?.id ?? '';
    expect(await till('events', 'get', id)).toMatchObject({ id, data: { object: { id: payment } } });
    const never = await tillRaw('events', 'resend', id, '--json');
    expect(JSON.parse(never.out)).toMatchObject({ error: { code: 'not_delivered' } });
    const first = await till<{ resent: { delivery: string }[] }>(
      'events',
      'resend',
      id,
      '--endpoint',
      endpoint.id,
    );
    const delivery = first.resent[0]?.delivery ?? '';
    const attempts = async () => {
      const { data: rows } = await till<{ data: object[] }>('webhooks', 'attempts', delivery);
      return rows.length;
    };
    await until('it was tried', async () => (await attempts()) > 0);
    const before = await attempts();
    expect(await till('events', 'resend', id)).toMatchObject({
      resent: [{ endpoint: endpoint.id, delivery }],
      refused: [],
    });
    await until('it was tried again', async () => (await attempts()) > before);
    const other = await Merchant.open();
    const foreign = await till<{ id: string }>(
      'webhooks',
      'create',
      '--account',
      other.id,
      '--url',
      'http://127.0.0.1:9/nobody',
    );
    const refused = await tillRaw('events', 'resend', id, '--endpoint', foreign.id, '--json');
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'endpoint_not_found' } });
  });
});

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
}

describe('till doctor', () => {
  it('reports no fault while the server runs', async () => {
    const result = await runCommand({ ...target().environment, BASE_URL: target().baseUrl }, [
      'doctor',
      '--json',
    ]);
    const diagnosis = JSON.parse(result.out) as { ok: boolean; checks: Finding[] };
    expect(diagnosis.checks.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(result.exitCode).toBe(0);
    const connections = diagnosis.checks.find(({ check }) => check === 'connections');
    expect(connections?.detail).toMatch(/^\d+ of [1-9]\d* in use/);
    expect(diagnosis.checks.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['settings', 'master key', 'database', 'schema', 'durability', 'server']),
    );
  });

  it('reports a fault and continues with the other checks', async () => {
    const result = await runCommand(
      {
        DATABASE_URL: 'postgresql://till:hunter2@127.0.0.1:9/none',
        TILL_DATA_DIR: '/nonexistent',
        TILL_REDIS_URL: 'redis://127.0.0.1:9',
        SMTP_URL: 'smtp://127.0.0.1:9',
        PORT: '9',
      },
      ['doctor', '--json'],
    );
    expect(result.exitCode).toBe(1);
    const { checks } = JSON.parse(result.out) as { checks: { check: string; state: string }[] };
    const failed = checks.filter(({ state }) => state === 'fail').map(({ check }) => check);
    expect(failed).toEqual(
      expect.arrayContaining(['data folder', 'master key', 'database', 'server', 'mail', 'rate limits']),
    );
    expect(result.out).not.toContain('hunter2');
  });

  it('looks at the standbys that lists are read from', async () => {
    const { environment } = target();
    const TILL_READ_DATABASE_URL = 'postgresql://till@127.0.0.1:9/till';
    const { out } = await runCommand({ ...environment, TILL_READ_DATABASE_URL }, ['doctor', '--json']);
    const { checks } = JSON.parse(out) as { checks: { check: string; state: string }[] };
    expect(checks).toContainEqual(expect.objectContaining({ check: 'standby 127.0.0.1:9', state: 'warn' }));
  });

  it('names a setting that nothing reads', async () => {
    const { environment } = target();
    const misspelt = { ...environment, TILL_WEBHOOK_SHEDULE: '1s' };
    const { checks } = JSON.parse((await runCommand(misspelt, ['doctor', '--json'])).out) as {
      checks: object[];
    };
    const detail = expect.stringContaining('TILL_WEBHOOK_SHEDULE');
    expect(checks).toContainEqual(expect.objectContaining({ check: 'settings', state: 'warn', detail }));
  });

  it('says which settings are wrong', async () => {
    const result = await runProcess({ PORT: 'http' }, ['doctor']);
    expect(result.exitCode).toBe(1);
    expect(result.out).toContain('PORT');
  });
});

describe('help and completion', () => {
  it('shows examples', async () => {
    expect((await tillProcess('--help')).out).toContain('First steps');
    expect((await tillRaw('events', 'resend', '--help')).out).toContain('Examples:');
  });

  it('prints a script for the shell', async () => {
    expect((await tillRaw('completion', 'bash')).out).toContain('complete -o default -F _till till');
    expect((await tillRaw('completion', 'tcsh')).exitCode).toBe(1);
  });
});

describe('till mails show', () => {
  it('prints the text of a mail in its lines', async () => {
    const own = await Merchant.open();
    await till(
      'users',
      'create',
      '--account',
      own.id,
      '--email',
      freshEmail(),
      '--password',
      'correct horse 7',
    );
    const paid = (await own.pay()).body.id;
    await till('disputes', 'open', '--payment', paid);
    const { data } = await till<{ data: { id: string }[] }>('mails', 'list', '--account', own.id);
    const shown = await tillRaw('mails', 'show', data[0]?.id ?? '');
    expect(shown.out.split('\n')).toContain(`Payment: ${paid}`);
  });
});
