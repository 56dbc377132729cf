import { createHash } from 'node:crypto';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { keepDocument, readDocument } from '../../lib/documents.ts';
import { jsonResponse, readHeader, type WireRequest, type WireResponse } from '../../lib/wire.ts';
import { Refusal } from './errors.ts';

const lifetimeSeconds = 9 * 60 * 60;
const lifetimeMs = lifetimeSeconds * 1000;
const clientTokenSeconds = 15 * 60;
const maxDomains = 10;
const maxAccountLength = 80;
const rememberedTokens = 1_000;

interface Bearer {
  readonly merchantAccount: string;
  readonly expiresAt: Date;
}

export interface AccessTokens {
  /** `POST /v1/oauth2/token` (PayPal docs, "Authentication"). */
  issue(request: WireRequest): Promise<WireResponse>;
  /**
   * Returns the merchant account of a request.
   * @throws Refusal if its access token is missing, unknown or expired
   */
  accountOf(request: WireRequest): Promise<string>;
}

const kind = 'access_token';

const after = (at: Date, ms: number) => new Date(at.getTime() + ms);

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** OAuth errors have their own format (RFC 6749, 5.2). */
function oauthError(status: number, error: string, error_description: string): WireResponse {
  return jsonResponse(status, JSON.stringify({ error, error_description }));
}

function readClientId(request: WireRequest): string | undefined {
  const [, encoded = ''] = /^Basic\s+([\w+/=-]+)$/i.exec(readHeader(request, 'authorization') ?? '') ?? [];
  const [, id = '', secret = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return id === '' || secret === '' || id.length > maxAccountLength ? undefined : id;
}

function isDomain(text: string): boolean {
  return /^(https?:\/\/)?[a-z0-9.-]{1,253}(:\d{1,5})?$/i.test(text);
}

function generateToken(deps: Pick<SandboxDependencies, 'randomBytes'>): string {
  return `A21AA${Buffer.from(deps.randomBytes(48)).toString('base64url')}`;
}

/**
 * Issues a token for a browser SDK, restricted to domains. No operation of the simulator accepts it (PayPal
 * docs, "JavaScript SDK v6").
 */
function clientToken(deps: Pick<SandboxDependencies, 'randomBytes'>, form: URLSearchParams): WireResponse {
  const domains = form.getAll('domains[]');
  if (domains.length > maxDomains || !domains.every(isDomain)) {
    return oauthError(400, 'invalid_request', 'invalid domains');
  }
  const answer = { access_token: generateToken(deps), token_type: 'Bearer', expires_in: clientTokenSeconds };
  return jsonResponse(200, JSON.stringify(answer));
}

const forgetSql = `
delete from sandbox.documents where kind = 'access_token' and merchant_account = $1 and created_at <= $2`;

/**
 * Issues and checks access tokens of all merchant accounts. The simulator accepts every client id with any
 * non-empty secret.
 */
export function createAccessTokens(deps: SandboxDependencies): AccessTokens {
  const { database } = deps;
  // A cache without invalidation: a token's account never changes, so an entry is valid until the token
  // expires.
  const known = new Map<string, Bearer>();

  const remember = (hash: string, bearer: Bearer): void => {
    const [oldest] = known.keys();
    if (known.size >= rememberedTokens && oldest !== undefined) known.delete(oldest);
    known.set(hash, bearer);
  };

  const find = async (hash: string): Promise<Bearer | undefined> => {
    const remembered = known.get(hash);
    if (remembered !== undefined) return remembered;
    const kept = await readDocument(database, kind, hash, null);
    if (kept === null) return undefined;
    const bearer = { merchantAccount: kept.merchantAccount, expiresAt: after(kept.at, lifetimeMs) };
    remember(hash, bearer);
    return bearer;
  };

  return {
    async issue(request) {
      const merchantAccount = readClientId(request);
      if (merchantAccount === undefined) {
        return oauthError(401, 'invalid_client', 'Client Authentication failed');
      }
      const form = new URLSearchParams(request.body.toString('utf8'));
      if (form.get('grant_type') !== 'client_credentials') {
        return oauthError(400, 'unsupported_grant_type', 'unsupported grant_type');
      }
      if (form.get('response_type') === 'client_token') return clientToken(deps, form);
      const now = await deps.now(merchantAccount);
      const token = generateToken(deps);
      const id = hashOf(token);
      await database.query(forgetSql, [merchantAccount, after(now, -lifetimeMs).toISOString()]);
      await keepDocument(database, { kind, id, merchantAccount, body: {}, at: now });
      remember(id, { merchantAccount, expiresAt: after(now, lifetimeMs) });
      return jsonResponse(
        200,
        JSON.stringify({
          scope: 'https://uri.paypal.com/services/payments/payment',
          access_token: token,
          token_type: 'Bearer',
          app_id: 'APP-TILLSANDBOX',
          expires_in: lifetimeSeconds,
          nonce: `${now.toISOString()}${id.slice(0, 24)}`,
        }),
      );
    },

    async accountOf(request) {
      const [, token] = /^Bearer\s+(\S+)$/i.exec(readHeader(request, 'authorization') ?? '') ?? [];
      const bearer = token === undefined ? undefined : await find(hashOf(token));
      const valid = bearer !== undefined && (await deps.now(bearer.merchantAccount)) < bearer.expiresAt;
      if (!valid) {
        throw new Refusal(
          401,
          { issue: 'INVALID_TOKEN' },
          { 'www-authenticate': 'Bearer error="invalid_token"' },
        );
      }
      return bearer.merchantAccount;
    },
  };
}
