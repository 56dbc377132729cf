import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseUrl } from './lib/url.ts';

/** Everything the environment decides, typed. Read once at start and passed in; nobody else reads the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Public address without trailing slash; null means the address listened on. */
  readonly baseUrl: string | null;
  /** null: the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | null;
  readonly databaseConnections: number;
  readonly dataDir: string;
  /** null: a key file that is made in `dataDir` on first start. */
  readonly masterKey: Buffer | null;
  /** The other master key, while one takes over from the other; null: no change is under way. */
  readonly masterKeyPrevious: Buffer | null;
  readonly logLevel: (typeof logLevels)[number];
  readonly metrics: { readonly host: string; readonly port: number; readonly explicit: boolean } | null;
  readonly trustProxy: readonly string[];
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly processorTimeoutMs: number;
  readonly liveSimulation: boolean;
  /** Whether the planned endpoints about disputes and files are there. */
  readonly disputesApi: boolean;
  /** null: mail stays in the outbox. */
  readonly smtpUrl: string | null;
  /** Whom mail comes from. */
  readonly mailFrom: { readonly name: string; readonly address: string };
  readonly drainSeconds: number;
  readonly webhooks: {
    /** Gaps between the attempts of a delivery, in milliseconds. */
    readonly schedule: readonly number[];
    /** Addresses and networks that may be sent to although they are not public. */
    readonly allowed: readonly string[];
    /** Whether this machine may be sent to: embedded database, and nobody else can reach the server. */
    readonly loopback: boolean;
  };
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** One wrong setting; all of them are reported together. */
export interface ConfigFault {
  readonly name: string;
  readonly got: string;
  readonly expected: string;
  readonly example: string;
}

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

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings and collects what is wrong with them. Secrets are never repeated in a fault. */
class Reader {
  readonly faults: ConfigFault[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Undefined for a setting that is absent or empty. */
  raw(name: string): string | undefined {
    const value = this.#environment[name]?.trim();
    return value === '' ? undefined : value;
  }

  read<T>(
    name: string,
    fallback: T,
    expected: string,
    example: string,
    parse: (text: string) => T | undefined,
    secret = false,
  ): T {
    const text = this.raw(name);
    if (text === undefined) return fallback;
    const value = parse(text);
    if (value === undefined) {
      this.faults.push({
        name,
        got: secret ? 'a value that is not shown' : JSON.stringify(text),
        expected,
        example,
      });
      return fallback;
    }
    return value;
  }

  integer(name: string, fallback: number, least: number, most: number): number {
    return this.read(name, fallback, `an integer from ${least} to ${most}`, String(fallback), (text) => {
      const value = Number(text);
      return /^\d+$/.test(text) && value >= least && value <= most ? value : undefined;
    });
  }

  oneOf<const T extends string>(name: string, fallback: T, values: readonly T[]): T {
    return this.read<T>(name, fallback, `one of ${values.join(', ')}`, fallback, (text) =>
      values.find((value) => value === text),
    );
  }
}

function urlWith(text: string, protocols: readonly string[]): URL | undefined {
  const url = parseUrl(text);
  return url !== undefined && protocols.includes(url.protocol) ? url : undefined;
}

function parseAddress(text: string): { host: string; port: number; explicit: true } | undefined {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) return undefined;
  return { host: match[1].replace(/^\[|\]$/g, ''), port, explicit: true };
}

function parseNetworks(text: string): string[] | undefined {
  const networks = text.split(',').map((part) => part.trim());
  const valid = networks.every((network) => {
    const [address = '', bits] = network.split('/');
    const version = isIP(address);
    if (version === 0) return false;
    return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
  });
  return valid ? networks : undefined;
}

const defaultMetrics = { host: '127.0.0.1', port: 9464, explicit: false };

function readDatabaseUrl(reader: Reader): string | null {
  return reader.read<string | null>(
    'DATABASE_URL',
    null,
    'a postgresql:// address',
    'postgresql://till:secret@localhost:5432/till',
    (text) =>
      urlWith(text.replace('://@/', '://localhost/').replace(/@\//, '@localhost/'), [
        'postgresql:',
        'postgres:',
      ]) === undefined
        ? undefined
        : text,
    true,
  );
}

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

/** One plain mailbox, alone or as `Name <address>`. */
function parseMailFrom(text: string): Config['mailFrom'] | undefined {
  const mailbox = /^[A-Za-z0-9.!#$%&'*+/=?^_\x60{|}~-]+@[A-Za-z0-9.-]+$/;
  const [, name = '', inBrackets] = /^([^<>"\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  return mailbox.test(address) ? { name: name.trim(), address } : undefined;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const mostGaps = 50;

/** Gaps such as `5s,5m,2h`; a number alone means seconds. A 0 at the beginning stands for the first attempt itself. */
function parseSchedule(text: string): number[] | undefined {
  const gaps = text.split(',').map((part) => {
    const [, number, unit = 's'] = /^(\d{1,9})(ms|s|m|h)?$/.exec(part.trim()) ?? [];
    return number === undefined ? Number.NaN : Number(number) * (unitMs[unit] ?? Number.NaN);
  });
  if (gaps[0] === 0) gaps.shift();
  return gaps.some(Number.isNaN) || gaps.length > mostGaps ? undefined : gaps;
}

/** The usual schedule is that of decisions, "Webhooks". */
function readWebhooks(reader: Reader): Config['webhooks'] {
  const usual = '5s,5m,30m,2h,5h,10h';
  const host = reader.raw('HOST') ?? '127.0.0.1';
  return {
    schedule: reader.read<readonly number[]>(
      'TILL_WEBHOOK_SCHEDULE',
      parseSchedule(usual) ?? [],
      'gaps between attempts, separated by commas',
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
    loopback: reader.raw('DATABASE_URL') === undefined && /^(localhost|127\.[\d.]+|::1)$/.test(host),
  };
}

/**
 * Reads and checks every setting.
 * @param environment usually `process.env`
 * @param directory what relative paths are relative to
 * @throws ConfigError with all faults at once
 */
export function readConfig(environment: Environment, directory: string): Config {
  const reader = new Reader(environment);
  const config: Config = {
    host: reader.read('HOST', '127.0.0.1', 'an IP address or host name', '127.0.0.1', (text) =>
      /^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined,
    ),
    port: reader.integer('PORT', 8080, 0, 65_535),
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
    databaseUrl: readDatabaseUrl(reader),
    databaseConnections: reader.integer('TILL_DATABASE_CONNECTIONS', 10, 2, 200),
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
    trustProxy: reader.read<readonly string[]>(
      'TRUST_PROXY',
      [],
      'addresses or networks of your proxies, separated by commas',
      '10.0.0.0/8,127.0.0.1',
      parseNetworks,
    ),
    rateLimit: {
      perSecond: reader.integer('TILL_RATE_LIMIT_RPS', 100, 0, 1_000_000),
      burst: reader.integer('TILL_RATE_LIMIT_BURST', 200, 0, 1_000_000),
    },
    processorTimeoutMs: reader.integer('TILL_PROCESSOR_TIMEOUT_MS', 30_000, 100, 120_000),
    liveSimulation: reader.oneOf('TILL_LIVE_SIMULATION', 'off', ['on', 'off']) === 'on',
    disputesApi: reader.oneOf('TILL_DISPUTES_API', 'off', ['on', 'off']) === 'on',
    smtpUrl: reader.read<string | null>(
      'SMTP_URL',
      null,
      'an smtp:// or smtps:// address',
      'smtps://user:secret@mail.example.com',
      (text) => (urlWith(text, ['smtp:', 'smtps:']) === undefined ? undefined : text),
      true,
    ),
    mailFrom: reader.read<Config['mailFrom']>(
      'MAIL_FROM',
      { name: 'Till', address: 'till@localhost' },
      'an address, alone or as Name <address>',
      '"Till <till@example.com>"',
      parseMailFrom,
    ),
    drainSeconds: reader.integer('TILL_DRAIN_SECONDS', 25, 0, 600),
    webhooks: readWebhooks(reader),
  };
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return config;
}
