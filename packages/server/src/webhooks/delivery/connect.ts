import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector, Pool } from 'undici';
import { knownToHostsFile } from '../../lib/web/hosts-file.ts';
import type { AddressPolicy } from '../endpoints/target-address.ts';

/** Covers name resolution, connection, request and answer together (decisions, "Webhooks"). */
export const deadlineMs = 10_000;

/** Resolves to all addresses of a host name. Rejects if it has none. */
export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>;

/** Names of this machine, which a name server need not know (RFC 6761). */
const isLocalName = (hostname: string) => /(^|\.)localhost\.?$/i.test(hostname);

interface Resolving {
  /** Queries the name servers. */
  readonly resolver?: Pick<Resolver, 'resolve4' | 'resolve6'>;
  /** Looks the name up on this machine. */
  readonly known?: ResolveHost;
}

/**
 * Queries the name servers directly, and falls back to the hosts file if they do not know the name. The system's own
 * look-up would occupy one of few threads for as long as a name server stays silent, and so delay every connection by name
 * of this process.
 */
export function systemResolver({
  resolver = new Resolver({ timeout: 2000, tries: 2 }),
  known = knownToHostsFile,
}: Resolving = {}): ResolveHost {
  return async (hostname) => {
    if (isLocalName(hostname)) {
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
    }
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    );
    if (found.length > 0) return found;
    const listed = await known(hostname);
    if (listed.length > 0) return listed;
    throw (
      answers.find((answer) => answer.status === 'rejected')?.reason ?? new Error('there is no such name')
    );
  };
}

/** No connection was opened. Merchants read the message, which gives the reason. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
}

/**
 * The receiver's address must not be sent to. The error does not show the address itself, which may be one of an
 * internal network.
 */
const targetRefused = (hostname: string) =>
  new ConnectionRefused(
    `${hostname} does not lead to a public address. Private ones are sent to only where the operator of Till names them in TILL_WEBHOOK_ALLOW_CIDRS.`,
  );

/**
 * Resolves a name, all of whose addresses must be allowed. Only these addresses are connected to, without a second look-up.
 * @throws ConnectionRefused
 */
async function allowedAddresses(policy: AddressPolicy, resolve: ResolveHost, hostname: string) {
  const addresses = await resolve(hostname);
  const [first] = addresses;
  if (first === undefined || !addresses.every(({ address }) => policy.allows(address))) {
    throw targetRefused(hostname);
  }
  return { addresses, first };
}

function guardedLookup(policy: AddressPolicy, resolve: ResolveHost): LookupFunction {
  const lookUp = callbackify((hostname: string) => allowedAddresses(policy, resolve, hostname));
  return (hostname, options, done) =>
    lookUp(hostname, (error, found) => {
      if (error) done(error, '');
      else if (options.all === true) done(null, found.addresses);
      else done(null, found.first.address, found.first.family);
    });
}

/**
 * Opens connections to allowed addresses only. It checks an IP literal, the addresses that a name resolves to, and the
 * address that the socket is really connected to.
 */
export function guardedConnector(policy: AddressPolicy, resolve: ResolveHost): buildConnector.connector {
  const connectTo = buildConnector({
    timeout: deadlineMs,
    rejectUnauthorized: true,
    autoSelectFamily: true,
    lookup: guardedLookup(policy, resolve),
  });
  return (target, done) => {
    // An IP literal is connected to without any look-up.
    if (isIP(target.hostname) !== 0 && !policy.allows(target.hostname)) {
      done(targetRefused(target.hostname), null);
      return;
    }
    connectTo(target, (error, socket) => {
      if (error !== null) {
        done(error, null);
      } else if (policy.allows(socket.remoteAddress ?? '')) {
        done(null, socket);
      } else {
        socket.destroy();
        done(targetRefused(target.hostname), null);
      }
    });
  };
}

/** Opens a connection through a proxy. @param target address and port, as `CONNECT` takes them */
type Tunnel = (target: string) => Promise<Socket>;

const portOf = ({ port, protocol }: buildConnector.Options) => port || (protocol === 'https:' ? '443' : '80');

/**
 * Opens connections through a tunnel, to allowed addresses only. The tunnel gets the address that was checked, never the
 * name, so that the proxy cannot resolve the name to another address. Certificates are verified inside the tunnel.
 */
export function tunnellingConnector(
  policy: AddressPolicy,
  resolve: ResolveHost,
  tunnel: Tunnel,
): buildConnector.connector {
  const secure = buildConnector({ timeout: deadlineMs, rejectUnauthorized: true });
  const open = callbackify(async (target: buildConnector.Options): Promise<Socket> => {
    const { hostname } = target;
    const literal = hostname.replace(/^\[(.*)\]$/, '$1');
    const isLiteral = isIP(literal) !== 0;
    if (isLiteral && !policy.allows(literal)) throw targetRefused(hostname);
    const address = isLiteral ? literal : (await allowedAddresses(policy, resolve, hostname)).first.address;
    return tunnel(`${isIPv6(address) ? `[${address}]` : address}:${portOf(target)}`);
  });
  return (target, done) =>
    open(target, (error, socket) => {
      if (error) done(error, null);
      else if (target.protocol === 'https:') secure({ ...target, httpSocket: socket }, done);
      else done(null, socket);
    });
}

/** @param address of a forward proxy, `http:` or `https:`, with user name and password if it requires them */
export function openProxy(address: string): { readonly tunnel: Tunnel; readonly close: () => Promise<void> } {
  const { origin, username, password } = new URL(address);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const headers = username === '' ? {} : { 'proxy-authorization': `Basic ${credentials.toString('base64')}` };
  const pool = new Pool(origin, { connect: { timeout: deadlineMs }, headersTimeout: deadlineMs });
  return {
    async tunnel(target) {
      const answer = await pool.connect({ path: target, headers }).catch(() => {
        throw new ConnectionRefused('The forward proxy of this server cannot be reached.');
      });
      const socket = answer.socket as Socket;
      if (answer.statusCode === 200) return socket;
      socket.on('error', () => {}).destroy();
      throw new ConnectionRefused(`The forward proxy of this server answered ${answer.statusCode}.`);
    },
    close: () => pool.destroy(),
  };
}
