import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a host name. Rejects where there is none. */
export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>;

/** RFC 6761: names of this machine, which a name server need not know. */
const isLocalName = (hostname: string) => /(^|\.)localhost\.?$/i.test(hostname);

/**
 * Asks the name servers directly: the system's own look-up would occupy one of few threads for as long as a name server
 * stays silent, and with them every other delivery. Names that only the system knows (its hosts file) are asked there.
 */
export function systemResolver(): ResolveHost {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
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
    return found.length > 0 ? found : lookup(hostname, { all: true });
  };
}
