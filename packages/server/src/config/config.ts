import { resolve } from 'node:path';
import type { TelemetrySettings } from '../lib/tracing/settings.ts';
import { type DatabaseSettings, readDatabase } from './database.ts';
import {
  type ConfigFault,
  type Environment,
  parseAddress,
  parseNetworks,
  parseProxies,
  Reader,
  urlWith,
} from './reader.ts';
import { parseSchedule } from './schedule.ts';
import { readTelemetry } from './telemetry.ts';

/** All settings of the environment, typed. They are read once at start and passed in; no other code reads the environment. */
export interface Config extends DatabaseSettings {
  readonly host: string;
  readonly port: number;
  /** The number of processes that share the port. */
  readonly processes: number;
  /** Public URL without a trailing slash; null means the address on which the server listens. */
  readonly baseUrl: string | null;
  /** Limits for requests that are executed, queued, and in flight in total (http/admission/admission.ts). */
  readonly requests: {
    readonly working: number;
    readonly reserved: number;
    readonly queued: number;
    readonly open: number;
  };
  /** The server refuses new payments and other writes if the disk of the embedded database has less free space than this. */
  readonly diskFloorMebibytes: number;
  readonly dataDir: string;
  /** null if the key is in a file, which is created in `dataDir` at the first start. */
  readonly masterKey: Buffer | null;
  /** The other master key while the key is being changed; null otherwise. */
  readonly masterKeyPrevious: Buffer | null;
  readonly logLevel: (typeof logLevels)[number];
  readonly metrics: { readonly host: string; readonly port: number; readonly explicit: boolean } | null;
  /** The collectors of traces and metrics; null if nothing is exported. */
  readonly telemetry: TelemetrySettings | null;
  readonly trustProxy: readonly string[];
  /** Limit for each API key; no limit if `perSecond` is 0. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  /** Limit for each account with all its keys; no limit if `perSecond` is 0. */
  readonly accountRateLimit: { readonly perSecond: number; readonly burst: number };
  /** The store in which processes share their rate limits; null if each process counts for itself. */
  readonly redisUrl: string | null;
  readonly processorTimeoutMs: number;
  readonly liveSimulation: boolean;
  /** Whether the API endpoints for disputes and files are enabled. */
  readonly disputesApi: boolean;
  /** null if mail is not sent and stays in the outbox. */
  readonly smtpUrl: string | null;
  /** The sender of mail. */
  readonly mailFrom: { readonly name: string; readonly address: string };
  /** How long the server keeps serving after a signal to stop, while it reports not ready. */
  readonly unreadySeconds: number;
  readonly drainSeconds: number;
  readonly webhooks: {
    /** Gaps between the attempts of a delivery, in milliseconds. */
    readonly schedule: readonly number[];
    /** Addresses and networks to which webhooks may be sent although they are not public. */
    readonly allowed: readonly string[];
    /** Whether webhooks may go to this machine: only with the embedded database, and if no other machine reaches the server. */
    readonly loopback: boolean;
    /** URL of the forward proxy for deliveries, with its credentials; null if there is none. */
    readonly proxy: string | null;
  };
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(
      [
        `${faults.length} setting${faults.length === 1 ? ' is' : 's are'} wrong:`,
        ...faults.map(
          (fault) =>
            `  ${fault.name}: got ${fault.got}, expected ${fault.expected}, for example ${fault.name}=${fault.example}`,
        ),
      ].join('\n'),
    );
    this.faults = faults;
  }
}

const defaultMetrics = { host: '127.0.0.1', port: 9464, explicit: false };

function readMasterKey(reader: Reader, name: string): Buffer | null {
  return reader.read<Buffer | null>(
    name,
    null,
    'at least 32 random bytes in base64',
    '$(openssl rand -base64 32)',
    (text) => {
      const key = Buffer.from(text, 'base64');
      return key.length >= 32 && /^[A-Za-z0-9+/]+=*$/.test(text) ? key : undefined;
    },
    true,
  );
}

/** Parses one mailbox: an address alone, or `Name <address>`. */
function parseMailFrom(text: string): Config['mailFrom'] | undefined {
  const mailbox = /^[A-Za-z0-9.!#$%&'*+/=?^_\x60{|}~-]+@[A-Za-z0-9.-]+$/;
  const [, name = '', inBrackets] = /^([^<>"\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  return mailbox.test(address) ? { name: name.trim(), address } : undefined;
}

function readMail(reader: Reader): Pick<Config, 'smtpUrl' | 'mailFrom'> {
  return {
    smtpUrl: reader.read<string | null>(
      'SMTP_URL',
      null,
      'an smtp:// or smtps:// address',
      'smtps://user:secret@mail.example.com',
      // Without a host, mail would be sent to this machine.
      (text) => (urlWith(text, ['smtp:', 'smtps:'])?.hostname ? text : undefined),
      true,
    ),
    mailFrom: reader.read<Config['mailFrom']>(
      'MAIL_FROM',
      { name: 'Till', address: 'till@localhost' },
      'an address, alone or as Name <address>',
      '"Till <till@example.com>"',
      parseMailFrom,
    ),
  };
}

/** The connections of the embedded server, without those that PostgreSQL, commands and operators need. */
const embeddedConnections = 90;

/** Reads the number of processes. With the embedded database it is limited by the connections, which the processes share. */
function readProcesses(reader: Reader, { databaseConnections, dashboardReads }: DatabaseSettings): number {
  const processes = reader.integer('WEB_CONCURRENCY', 1, 1, 256);
  if (reader.raw('DATABASE_URL') !== undefined) return processes;
  const max = Math.floor(embeddedConnections / (databaseConnections + dashboardReads.connections + 1));
  if (max < 1) {
    const left = Math.max(2, embeddedConnections - dashboardReads.connections - 1);
    reader.faults.push({
      name: 'TILL_DATABASE_CONNECTIONS',
      got: `${databaseConnections} beside TILL_DASHBOARD_CONNECTIONS=${dashboardReads.connections}`,
      expected: `together at most ${embeddedConnections - 1} with the embedded database; set DATABASE_URL for more`,
      example: String(left),
    });
  } else if (processes > max) {
    reader.faults.push({
      name: 'WEB_CONCURRENCY',
      got: String(processes),
      expected: `at most ${max} with the embedded database, whose connections they share; set DATABASE_URL or lower TILL_DATABASE_CONNECTIONS for more`,
      example: String(max),
    });
  }
  return processes;
}

/** By default an account may have the rate of this many keys. */
const keysPerAccount = 5;

function readRateLimits(reader: Reader): Pick<Config, 'rateLimit' | 'accountRateLimit'> {
  const max = 1_000_000;
  const perSecond = reader.integer('TILL_RATE_LIMIT_RPS', 100, 0, max);
  const burst = reader.integer('TILL_RATE_LIMIT_BURST', 200, 0, max);
  const ofAccount = (limit: number) => Math.min(max, keysPerAccount * limit);
  return {
    rateLimit: { perSecond, burst },
    accountRateLimit: {
      perSecond: reader.integer('TILL_ACCOUNT_RATE_LIMIT_RPS', ofAccount(perSecond), 0, max),
      burst: reader.integer('TILL_ACCOUNT_RATE_LIMIT_BURST', ofAccount(burst), 0, max),
    },
  };
}

/** Reads the webhook settings. The default schedule is that of decisions, "Webhooks". */
function readWebhooks(reader: Reader): Config['webhooks'] {
  const usual = '5s,5m,30m,2h,5h,10h';
  const host = reader.raw('HOST') ?? '127.0.0.1';
  return {
    schedule: reader.read<readonly number[]>(
      'TILL_WEBHOOK_SCHEDULE',
      parseSchedule(usual) ?? [],
      'gaps between attempts of at most 30 days, separated by commas',
      usual,
      parseSchedule,
    ),
    allowed: reader.read<readonly string[]>(
      'TILL_WEBHOOK_ALLOW_CIDRS',
      [],
      'addresses or networks, separated by commas',
      '10.1.0.0/16,127.0.0.1',
      parseNetworks,
    ),
    proxy: reader.read<string | null>(
      'TILL_WEBHOOK_PROXY',
      null,
      'an http:// or https:// address without a path',
      'http://user:secret@proxy.example.com:3128',
      (text) => {
        const url = urlWith(text, ['http:', 'https:']);
        return url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== ''
          ? undefined
          : url.href;
      },
      true,
    ),
    loopback: reader.raw('DATABASE_URL') === undefined && isLocal(host) && !hasProxy(reader),
  };
}

const isLocal = (host: string): boolean => /^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);

/** Whether a proxy on this machine makes the server reachable for others. */
function hasProxy(reader: Reader): boolean {
  const address = urlWith(reader.raw('BASE_URL') ?? '', ['http:', 'https:']);
  return reader.raw('TRUST_PROXY') !== undefined || (address !== undefined && !isLocal(address.hostname));
}

/**
 * Reads and checks every setting.
 * @param environment usually `process.env`
 * @param directory the folder to which relative paths refer
 * @throws ConfigError with all faults at once
 */
export function readConfig(environment: Environment, directory: string): Config {
  const reader = new Reader(environment);
  const database = readDatabase(reader);
  const config: Config = {
    host: reader.read('HOST', '127.0.0.1', 'an IP address or host name', '127.0.0.1', (text) =>
      /^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined,
    ),
    port: reader.integer('PORT', 8080, 0, 65_535),
    processes: readProcesses(reader, database),
    baseUrl: reader.read<string | null>(
      'BASE_URL',
      null,
      'an http:// or https:// address without query',
      'https://pay.example.com',
      (text) => {
        const url = urlWith(text, ['http:', 'https:']);
        return url === undefined || url.search !== '' || url.hash !== ''
          ? undefined
          : url.href.replace(/\/+$/, '');
      },
    ),
    ...database,
    requests: {
      working: reader.integer('TILL_REQUESTS_WORKING', 40, 1, 10_000),
      reserved: reader.integer('TILL_REQUESTS_RESERVED', 8, 0, 10_000),
      queued: reader.integer('TILL_REQUESTS_QUEUED', 512, 0, 10_000),
      open: reader.integer('TILL_REQUESTS_OPEN', 10_000, 1, 100_000),
    },
    diskFloorMebibytes: reader.integer('TILL_DISK_FLOOR_MB', 64, 0, 1_000_000),
    dataDir: resolve(directory, reader.raw('TILL_DATA_DIR') ?? '.till'),
    masterKey: readMasterKey(reader, 'TILL_MASTER_KEY'),
    masterKeyPrevious: readMasterKey(reader, 'TILL_MASTER_KEY_PREVIOUS'),
    logLevel: reader.oneOf('TILL_LOG_LEVEL', 'info', logLevels),
    metrics: reader.read<Config['metrics']>(
      'TILL_METRICS_ADDR',
      defaultMetrics,
      'host:port, or off',
      '127.0.0.1:9464',
      (text) => (text === 'off' ? null : parseAddress(text)),
    ),
    telemetry: readTelemetry(reader),
    trustProxy: reader.read<readonly string[]>(
      'TRUST_PROXY',
      [],
      'addresses or networks of your proxies, not /0, separated by commas',
      '10.0.0.0/8,127.0.0.1',
      parseProxies,
    ),
    ...readRateLimits(reader),
    redisUrl: reader.read<string | null>(
      'TILL_REDIS_URL',
      null,
      'a redis:// or rediss:// address',
      'redis://localhost:6379',
      (text) => (urlWith(text, ['redis:', 'rediss:']) === undefined ? undefined : text),
      true,
    ),
    processorTimeoutMs: reader.integer('TILL_PROCESSOR_TIMEOUT_MS', 30_000, 100, 120_000),
    liveSimulation: reader.oneOf('TILL_LIVE_SIMULATION', 'off', ['on', 'off']) === 'on',
    disputesApi: reader.oneOf('TILL_DISPUTES_API', 'off', ['on', 'off']) === 'on',
    ...readMail(reader),
    unreadySeconds: reader.integer('TILL_UNREADY_SECONDS', 0, 0, 300),
    drainSeconds: reader.integer('TILL_DRAIN_SECONDS', 25, 0, 600),
    webhooks: readWebhooks(reader),
  };
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return config;
}
