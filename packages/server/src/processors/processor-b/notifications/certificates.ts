import { type KeyObject, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { NoAnswer } from '../../port/port.ts';
import { isNoAnswer, notExecuted, transportFault } from '../../upstream/no-answer.ts';
import type { Transport, WireResponse } from '../../wire/transport.ts';

/** A certificate; its key signs notifications. */
export interface SigningCertificate {
  readonly publicKey: KeyObject;
  /** The certificate is issued to the upstream and chains to a root authority that everybody trusts. */
  readonly isTrusted: boolean;
  isValidAt(time: Date): boolean;
}

/** Certificates by URL; each is fetched once. */
export interface CertificateCache {
  /** @param mayFetch called if the certificate is not cached; if it returns false, the certificate is not fetched */
  get(address: string, mayFetch: () => boolean): Promise<SigningCertificate | NoAnswer>;
}

const maxBytes = 64 * 1024;
/** Far more than the upstream uses at a time. The limit keeps senders of made-up URLs from filling our memory. */
const maxKept = 20;
/** How many failures are cached, and for how long, so that a sender of made-up URLs cannot make us fetch them every time. */
const maxFailures = 200;
const failureMs = 60_000;
/** A longer chain can only be an attempt to waste our CPU time. */
const maxAuthorities = 4;

interface CertificateDependencies {
  readonly transport: Transport;
  now(): Date;
  /** Trusted root certificates in PEM; by default those of Node.js. */
  readonly roots?: readonly string[];
}

/** Appends the newest entry and drops the oldest if there are more than `max`. */
function keep<Value>(kept: Map<string, Value>, key: string, value: Value, max: number): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > max && oldest !== undefined) kept.delete(oldest);
}

/**
 * Fetches certificates and caches them while they are valid; failures are cached for a minute. Concurrent requests for one
 * URL share one fetch.
 */
export function certificateCache(deps: CertificateDependencies): CertificateCache {
  const kept = new Map<string, SigningCertificate>();
  const failed = new Map<string, { readonly until: number; readonly answer: NoAnswer }>();
  const pending = new Map<string, Promise<SigningCertificate | NoAnswer>>();

  const fetchOne = async (address: string): Promise<SigningCertificate | NoAnswer> => {
    const fetched = await fetchCertificate(deps, address);
    pending.delete(address);
    if (isNoAnswer(fetched)) {
      keep(failed, address, { until: deps.now().getTime() + failureMs, answer: fetched }, maxFailures);
    } else {
      keep(kept, address, fetched, maxKept);
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
  const [leaf, ...others] = body.length > maxBytes ? [] : certificatesIn(body.toString('latin1'));
  if (leaf === undefined || leaf.publicKey.asymmetricKeyType !== 'rsa') {
    return notExecuted('provider_error', 'certificate malformed');
  }
  const roots = () => (deps.roots ?? rootCertificates).map((pem) => new X509Certificate(pem));
  return {
    publicKey: leaf.publicKey,
    isTrusted:
      isUpstreamName(leaf) && leadsToRoot(leaf, others.slice(0, maxAuthorities), roots(), deps.now()),
    isValidAt: (time) => isValidAt(leaf, time),
  };
}

/** The certificates of a PEM file, in order; empty if one of them cannot be parsed. */
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
 * Whether the certificate chains to a root through the others, each valid now and issued by the next (RFC 5280, 6.1).
 * Revocation is not checked, because there is nobody to ask about it here.
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
