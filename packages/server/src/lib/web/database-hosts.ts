/** The servers of one database, of which the one that takes writes is to be found, as libpq would. */
export interface DatabaseHosts {
  /** In the order in which they were named; each with the address of that server alone. */
  readonly hosts: readonly DatabaseHost[];
}

export interface DatabaseHost {
  /** `host:port`, for people. */
  readonly name: string;
  readonly url: string;
}

const shape = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const hostAndPort = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._%-]+)(?::(\d+))?$/;
/** Anything else may be a part of a password with a slash in it. */
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

/** An address of which nothing is checked but its shape. */
function parse(url: string): Address | undefined {
  const [, protocol, login = '', list = '', path = '', query = ''] = shape.exec(url) ?? [];
  return protocol === undefined
    ? undefined
    : { protocol, login, list, path, parameters: new URLSearchParams(query) };
}

/**
 * Reads the hosts of a PostgreSQL address that names several (`postgres://u:p@h1:5432,h2:5432/db`, or by the parameters
 * `host` and `port`), or that says `target_session_attrs=read-write`.
 * @returns null for an address of one server, whatever its role; what was expected where it cannot be used
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
 * Reads the hosts of an address of one server or several, of which those are used that are standbys, near enough.
 * @returns what was expected where it cannot be used
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
 * Names the server and database of an address, for people: what may be a part of a password is left out.
 * @returns null where that cannot be told apart
 */
export function placeOf(url: string): string | null {
  const address = parse(url);
  if (address === undefined || !plainPath.test(address.path)) return null;
  const { list, path, parameters } = address;
  if (list === '') return `${parameters.get('host') ?? ''}${path}`;
  return list.split(',').every((place) => hostAndPort.test(place)) ? `${list}${path}` : null;
}

/** Undefined where the numbers of hosts and ports do not fit together. */
function fromParameters(parameters: URLSearchParams): string[] | undefined {
  const hosts = (parameters.get('host') ?? '').split(',');
  const ports = (parameters.get('port') ?? defaultPort).split(',');
  if (ports.length !== 1 && ports.length !== hosts.length) return undefined;
  return hosts.map((host, at) => `${host}:${ports[at] ?? ports[0]}`);
}
