import { isIP } from 'node:net';
import { parseUrl } from '../lib/web/url.ts';

/** One invalid setting. All faults are reported together. */
export interface ConfigFault {
  readonly name: string;
  readonly got: string;
  readonly expected: string;
  readonly example: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings and collects their faults. A fault never repeats a secret. */
export class Reader {
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
      // A general setting is read once for each specific one that it stands for.
      if (this.faults.some((fault) => fault.name === name)) return fallback;
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

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.read(name, fallback, `an integer from ${min} to ${max}`, String(fallback), (text) => {
      const value = Number(text);
      return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
    });
  }

  oneOf<const T extends string>(name: string, fallback: T, values: readonly T[]): T {
    return this.read<T>(name, fallback, `one of ${values.join(', ')}`, fallback, (text) =>
      values.find((value) => value === text),
    );
  }
}

/** Parses a URL; undefined if it is not valid or has another protocol. */
export function urlWith(text: string, protocols: readonly string[]): URL | undefined {
  const url = parseUrl(text);
  return url !== undefined && protocols.includes(url.protocol) ? url : undefined;
}

/** Parses `host:port`; undefined if it is not valid. */
export function parseAddress(text: string): { host: string; port: number; explicit: true } | undefined {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) return undefined;
  return { host: match[1].replace(/^\[|\]$/g, ''), port, explicit: true };
}

/** Parses addresses and networks in CIDR notation, separated by commas; undefined if one is not valid. */
export function parseNetworks(text: string): string[] | undefined {
  const networks = text.split(',').map((part) => part.trim());
  const valid = networks.every((network) => {
    const [address = '', bits, ...more] = network.split('/');
    const version = isIP(address);
    if (version === 0 || more.length > 0) return false;
    return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
  });
  return valid ? networks : undefined;
}

/** Parses networks of proxies. Refuses `/0`, which the HTTP server would refuse with an error that does not name the setting. */
export function parseProxies(text: string): string[] | undefined {
  const networks = parseNetworks(text);
  return networks?.some((network) => /\/0+$/.test(network)) ? undefined : networks;
}
