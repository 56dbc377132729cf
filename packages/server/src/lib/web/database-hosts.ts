/** The servers of one database. As in libpq, the caller has to find out which of them accepts writes. */
export interface DatabaseHosts {
  /** In the order in which they were named, each with an address that names only that server. */
  readonly hosts: readonly DatabaseHost[];
}

export interface DatabaseHost {
  /** `host:port`, for messages. */
  readonly name: string;
  readonly url: string;
}

const shape = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const hostAndPort = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._%-]+)(?::(\d+))?$/;
/** A path with other characters may be part of a password that contains a slash. */
const plainPath = /^(?:\/[\w.-]*)?$/;
const defaultPort = '5432';
const maxHosts = 8;

interface Address {
  readonly protocol: string;
  readonly login: string;
  readonly list: string;
  readonly path: string;
  readonly parameters: URLSearchParams;
}

/** Splits an address, checking only its shape. Returns undefined if the shape is wrong. */
function parse(url: string): Address | undefined {
  const [, protocol, login = '', list = '', path = '', query = ''] = shape.exec(url) ?? [];
  return protocol === undefined
    ? undefined
    : { protocol, login, list, path, parameters: new URLSearchParams(query) };
}

/**
 * Reads the hosts of a PostgreSQL address that names several (`postgres://u:p@h1:5432,h2:5432/db`, or with the parameters
 * `host` and `port`), or that has `target_session_attrs=read-write`.
 * @returns null for an address of a single server of any role; `expected` describes what is missing if it cannot be used
 */
export function databaseHosts(url: string): DatabaseHosts | null | { readonly expected: string } {
  const address = parse(url);
  if (address === undefined) return null;
  const wanted = address.parameters.get('target_session_attrs');
  const named = (address.parameters.get('host') ?? '').includes(',');
  if (wanted === null && !named && !address.list.includes(',')) return null;
  if (wanted !== 'read-write') {
    return { expected: 'target_session_attrs=read-write, with one server and with several: Till writes' };
  }
  return hostsOf(address);
}

/**
 * Reads the hosts of a read replica's address, which names one server or several. Callers use those that are standbys with a
 * small enough lag.
 * @returns the hosts; `expected` describes what is missing if the address cannot be used
 */
export function replicaHosts(url: string): DatabaseHosts | { readonly expected: string } {
  const address = parse(url);
  if (address === undefined) return { expected: 'a postgresql:// address of one server or several' };
  const wanted = address.parameters.get('target_session_attrs') ?? 'standby';
  return ['standby', 'prefer-standby'].includes(wanted)
    ? hostsOf(address)
    : { expected: 'target_session_attrs=standby, or none' };
}

function hostsOf({
  protocol,
  login,
  list,
  path,
  parameters,
}: Address): DatabaseHosts | { readonly expected: string } {
  const places = parameters.has('host') ? fromParameters(parameters) : list.split(',');
  if (places === undefined) return { expected: 'as many ports as hosts, or one port for all' };
  if (places.length > maxHosts) return { expected: `at most ${maxHosts} hosts` };
  const others = new URLSearchParams(parameters);
  for (const name of ['target_session_attrs', 'host', 'port']) others.delete(name);
  const rest = others.size === 0 ? '' : `?${others.toString().replaceAll('+', '%20')}`;
  const hosts: DatabaseHost[] = [];
  for (const place of places) {
    const [, host, port = defaultPort] = hostAndPort.exec(place) ?? [];
    if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
      return {
        expected: `hosts as host:port, separated by commas, with ports from 1 to 65535; ${
          plainPath.test(path) ? `it names "${place}"` : 'escape / @ ? and # in the password'
        }`,
      };
    }
    hosts.push({ name: `${host}:${port}`, url: `${protocol}${login}${host}:${port}${path}${rest}` });
  }
  return { hosts };
}

/**
 * Names the server and database of an address for messages, without anything that may be part of a password.
 * @returns null if the password cannot be separated from the rest
 */
export function describeDatabase(url: string): string | null {
  const address = parse(url);
  if (address === undefined || !plainPath.test(address.path)) return null;
  const { list, path, parameters } = address;
  if (list === '') return `${parameters.get('host') ?? ''}${path}`;
  return list.split(',').every((place) => hostAndPort.test(place)) ? `${list}${path}` : null;
}

/** The hosts from the parameters `host` and `port`; undefined if the numbers of hosts and ports do not match. */
function fromParameters(parameters: URLSearchParams): string[] | undefined {
  const hosts = (parameters.get('host') ?? '').split(',');
  const ports = (parameters.get('port') ?? defaultPort).split(',');
  if (ports.length !== 1 && ports.length !== hosts.length) return undefined;
  return hosts.map((host, at) => `${host}:${ports[at] ?? ports[0]}`);
}
