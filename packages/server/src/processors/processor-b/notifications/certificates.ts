import { type KeyObject, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { NoAnswer } from '../../port/port.ts';
import { isNoAnswer, notExecuted, transportFault } from '../../upstream/no-answer.ts';
import type { Transport, WireResponse } from '../../wire/transport.ts';

/** The certificate whose key signs notifications. */
export interface SigningCertificate {
  readonly publicKey: KeyObject;
  /** The upstream's name stands on it and it leads to an authority that everybody trusts. */
  readonly vouchedFor: boolean;
  isValidAt(time: Date): boolean;
}

/** Certificates by their address, each fetched once. */
export interface CertificateCache {
  /** @param mayFetch asked where the certificate is not known: false, and none is fetched */
  get(address: string, mayFetch: () => boolean): Promise<SigningCertificate | NoAnswer>;
}

const bytesMax = 64 * 1024;
/** Far more than the upstream uses at a time; who sends us addresses must not fill our memory. */
const keptMax = 20;
/** How many failures are remembered, and for how long: who sends us addresses must not have us ask for them each time. */
const failuresMax = 200;
const failureMs = 60_000;
/** Longer chains are made to keep us busy. */
const authoritiesMax = 4;

interface CertificateDependencies {
  readonly transport: Transport;
  now(): Date;
  /** Authorities that everybody trusts, in PEM; those of Node.js by default. */
  readonly roots?: readonly string[];
}

/** Puts the newest last, and drops the oldest where there are too many. */
function keep<Value>(kept: Map<string, Value>, key: string, value: Value, max: number): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > max && oldest !== undefined) kept.delete(oldest);
}

/**
 * Fetches certificates and keeps them while they are valid, and for a minute that there was none. Requests at the same
 * time share one.
 */
export function certificateCache(deps: CertificateDependencies): CertificateCache {
  const kept = new Map<string, SigningCertificate>();
  const failed = new Map<string, { readonly until: number; readonly answer: NoAnswer }>();
  const pending = new Map<string, Promise<SigningCertificate | NoAnswer>>();

  const fetchOne = async (address: string): Promise<SigningCertificate | NoAnswer> => {
    const fetched = await fetchCertificate(deps, address);
    pending.delete(address);
    if (isNoAnswer(fetched)) {
      keep(failed, address, { until: deps.now().getTime() + failureMs, answer: fetched }, failuresMax);
    } else {
      keep(kept, address, fetched, keptMax);
    }
    return fetched;
  };

  return {
    async get(address, mayFetch) {
      const known = kept.get(address);
      if (known?.isValidAt(deps.now()) === true) return known;
      const underWay = pending.get(address);
      if (underWay !== undefined) return underWay;
      const failure = failed.get(address);
      if (failure !== undefined && deps.now().getTime() < failure.until) return failure.answer;
      if (!mayFetch()) return notExecuted('provider_unavailable', 'too many unknown certificates');
      const fetching = fetchOne(address);
      pending.set(address, fetching);
      return fetching;
    },
  };
}

async function fetchCertificate(
  deps: CertificateDependencies,
  address: string,
): Promise<SigningCertificate | NoAnswer> {
  try {
    const headers = { accept: 'application/x-pem-file, text/plain, */*' };
    const response = await deps.transport({ method: 'GET', url: address, headers, body: Buffer.alloc(0) });
    return readCertificate(deps, response);
  } catch (error) {
    return notExecuted('provider_unavailable', `certificate ${transportFault(error).reason}`);
  }
}

function readCertificate(
  deps: CertificateDependencies,
  { status, body }: WireResponse,
): SigningCertificate | NoAnswer {
  if (status !== 200) return notExecuted('provider_unavailable', `certificate status ${status}`);
  const [leaf, ...others] = body.length > bytesMax ? [] : certificatesIn(body.toString('latin1'));
  if (leaf === undefined || leaf.publicKey.asymmetricKeyType !== 'rsa') {
    return notExecuted('provider_error', 'certificate malformed');
  }
  const roots = () => (deps.roots ?? rootCertificates).map((pem) => new X509Certificate(pem));
  return {
    publicKey: leaf.publicKey,
    vouchedFor:
      isUpstreamName(leaf) && leadsToRoot(leaf, others.slice(0, authoritiesMax), roots(), deps.now()),
    isValidAt: (time) => isValidAt(leaf, time),
  };
}

/** The certificates of a PEM file in their order; none where one of them cannot be read. */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

const isUpstreamName = ({ subject }: X509Certificate): boolean =>
  /^CN=(?:[a-z0-9-]+\.)+paypal\.com$/im.test(subject);

const isValidAt = ({ validFrom, validTo }: X509Certificate, time: Date): boolean =>
  Date.parse(validFrom) <= time.getTime() && time.getTime() <= Date.parse(validTo);

/**
 * Whether the certificate leads to a root over the others, each valid now and issued by the next (RFC 5280, 6.1;
 * without revocation, which nobody can be asked about here).
 */
export function leadsToRoot(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  now: Date,
): boolean {
  if (!isValidAt(certificate, now)) return false;
  if (roots.some((root) => isValidAt(root, now) && issued(root, certificate))) return true;
  return others.some((authority, index) => {
    const rest = others.toSpliced(index, 1);
    return issued(authority, certificate) && leadsToRoot(authority, rest, roots, now);
  });
}

const issued = (authority: X509Certificate, certificate: X509Certificate): boolean =>
  authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
