import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { unknownSettings } from './unknown-settings.ts';

describe('configuration', () => {
  it('has working defaults', () => {
    const config = readConfig({}, '/srv/till');
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      baseUrl: null,
      databaseUrl: null,
      dataDir: '/srv/till/.till',
      rateLimit: { perSecond: 100, burst: 200 },
      processorTimeoutMs: 30_000,
    });
  });

  it('counts an empty setting as absent', () => {
    expect(readConfig({ PORT: ' ', BASE_URL: '' }, '/').port).toBe(8080);
  });

  it('takes a unix socket address of PostgreSQL', () => {
    const url = 'postgresql://till:pw@/till?host=/run/postgresql';
    expect(readConfig({ DATABASE_URL: url }, '/').databaseUrl).toBe(url);
  });

  it('drops the trailing slash of the public address', () => {
    expect(readConfig({ BASE_URL: 'https://pay.example.com/' }, '/').baseUrl).toBe('https://pay.example.com');
  });

  it('takes two master keys while one takes over from the other', () => {
    expect(readConfig({}, '/')).toMatchObject({ masterKey: null, masterKeyPrevious: null });
    const [key, previous] = [Buffer.alloc(32, 1), Buffer.alloc(48, 2)];
    const environment = {
      TILL_MASTER_KEY: key.toString('base64'),
      TILL_MASTER_KEY_PREVIOUS: previous.toString('base64'),
    };
    expect(readConfig(environment, '/')).toMatchObject({ masterKey: key, masterKeyPrevious: previous });
  });

  it('reads the schedule of webhooks with units, in seconds without', () => {
    const schedule = (text?: string) =>
      readConfig(text === undefined ? {} : { TILL_WEBHOOK_SCHEDULE: text }, '/').webhooks.schedule;
    const hour = 3_600_000;
    expect(schedule()).toEqual([5000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour]);
    expect(schedule('1, 250ms, 2s, 3m, 1h')).toEqual([1000, 250, 2000, 180_000, hour]);
    expect(schedule('0,5,5')).toEqual([5000, 5000]);
    expect(schedule('0')).toEqual([]);
    for (const text of ['x', '5d', '-1', '5,,5', '1.5s', '721h', Array(51).fill('1').join()]) {
      expect(() => schedule(text)).toThrow(/TILL_WEBHOOK_SCHEDULE: got/);
    }
  });

  it('takes no more connections than the embedded database has', () => {
    const read = (environment: Record<string, string>) => () => readConfig(environment, '/');
    expect(read({ TILL_DATABASE_CONNECTIONS: '85' })()).toMatchObject({ databaseConnections: 85 });
    expect(read({ TILL_DATABASE_CONNECTIONS: '86' })).toThrow(
      /TILL_DATABASE_CONNECTIONS: got .?86 beside TILL_DASHBOARD_CONNECTIONS=4.*at most 89/s,
    );
    expect(read({ WEB_CONCURRENCY: '7' })).toThrow(/WEB_CONCURRENCY: got .?7.*at most 6/s);
    const own = { DATABASE_URL: 'postgresql://till@db/till', TILL_DATABASE_CONNECTIONS: '200' };
    expect(read(own)()).toMatchObject({ databaseConnections: 200 });
  });

  it('takes a mail server only with its host', () => {
    for (const url of ['smtp://mail.example.com', 'smtps://user:secret@mail.example.com:465']) {
      expect(readConfig({ SMTP_URL: url }, '/').smtpUrl).toBe(url);
    }
    for (const url of ['smtp:mail.example.com', 'smtp:///mail.example.com', 'mail.example.com']) {
      expect(() => readConfig({ SMTP_URL: url }, '/')).toThrow(/SMTP_URL: got a value that is not shown/);
    }
  });

  it('names ours that nothing reads, such as misspelt ones', () => {
    const environment = { TILL_WEBHOOK_SHEDULE: '5s', TILL_DATA_DIR: '/srv', TILL_API_KEY: 'k', PORT: '1' };
    expect(unknownSettings(environment)).toEqual(['TILL_WEBHOOK_SHEDULE']);
  });

  it('lets webhooks reach this machine only where it is a fresh one', () => {
    const loopback = (environment: Record<string, string>) => readConfig(environment, '/').webhooks.loopback;
    const databaseUrl = 'postgresql://till:pw@db.example/till';
    for (const HOST of ['127.0.0.1', '127.0.1.1', 'localhost', '::1']) expect(loopback({ HOST })).toBe(true);
    expect(loopback({})).toBe(true);
    for (const HOST of ['0.0.0.0', '10.0.0.1', 'pay.example.com', '::'])
      expect(loopback({ HOST })).toBe(false);
    expect(loopback({ DATABASE_URL: databaseUrl })).toBe(false);
    // Behind a proxy on this machine, others can reach the server, and merchants could send webhooks to local services.
    expect(loopback({ BASE_URL: 'https://pay.example.com' })).toBe(false);
    expect(loopback({ TRUST_PROXY: '127.0.0.1' })).toBe(false);
    for (const BASE_URL of ['http://localhost:8080', 'http://[::1]:8080'])
      expect(loopback({ BASE_URL })).toBe(true);
  });

  it('reads the standbys of a database of its own, and how far behind they may be', () => {
    const primary = { DATABASE_URL: 'postgresql://till:pw@db1/till' };
    const standbys = 'postgresql://till:pw@db2,db3:5433/till?target_session_attrs=standby';
    expect(readConfig(primary, '/').replica).toBeNull();
    expect(readConfig({ ...primary, TILL_READ_DATABASE_URL: standbys }, '/').replica).toEqual({
      hosts: [
        { name: 'db2:5432', url: 'postgresql://till:pw@db2:5432/till' },
        { name: 'db3:5433', url: 'postgresql://till:pw@db3:5433/till' },
      ],
      maxLagMs: 10_000,
    });
    const refused = (environment: Record<string, string>) => () => readConfig(environment, '/');
    expect(refused({ TILL_READ_DATABASE_URL: standbys })).toThrow(/expected DATABASE_URL beside it/);
    for (const url of ['db2', `${standbys}x`]) {
      expect(refused({ ...primary, TILL_READ_DATABASE_URL: url })).toThrow(
        /TILL_READ_DATABASE_URL: got a value/,
      );
    }
  });

  it.each(['0.0.0.0/0', '10.0.0.0/8, ::/0', '0.0.0.0/00'])(
    'refuses proxies that are everybody: %s',
    (proxies) => {
      expect(() => readConfig({ TRUST_PROXY: proxies }, '/')).toThrow(/TRUST_PROXY: got .* not \/0/);
    },
  );

  it('reports every fault at once, with what was expected and an example', () => {
    const environment = {
      PORT: '80a',
      BASE_URL: 'ftp://x',
      TILL_LIVE_SIMULATION: 'yes',
      TILL_MASTER_KEY: 'c2VjcmV0',
      TILL_MASTER_KEY_PREVIOUS: 'c2VjcmV0',
      TRUST_PROXY: '10.0.0.0/40',
      TILL_WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8/9',
      TILL_METRICS_ADDR: '9464',
    };
    let caught: unknown;
    try {
      readConfig(environment, '/');
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ConfigError);
    const { faults, message } = caught as ConfigError;
    expect(faults.map((fault) => fault.name).sort()).toEqual(Object.keys(environment).sort());
    expect(message).toContain('PORT: got "80a", expected an integer from 0 to 65535, for example PORT=8080');
    expect(message).not.toContain('c2VjcmV0');
  });
});
