import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

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

  it('reports every fault at once, with what was expected and an example', () => {
    const environment = {
      PORT: '80a',
      BASE_URL: 'ftp://x',
      TILL_LIVE_SIMULATION: 'yes',
      TILL_MASTER_KEY: 'c2VjcmV0',
      TRUST_PROXY: '10.0.0.0/40',
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
