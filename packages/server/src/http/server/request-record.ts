import type { Operation } from '@till/contract';
import type { Tenant } from '../../store/tenant.ts';

/** What a request was accepted without, for its line in the account's log of requests. Holds nothing that was sent. */
export interface RequestWarning {
  /** Path of the field, as errors name it. */
  readonly param: string;
  readonly message: string;
}

/** What the request log line of one request says beside method, route and status. */
export interface LogFields {
  account?: string;
  livemode?: boolean;
  code?: string;
  /** Was not let in, see `http/admission/admit.ts`. */
  refused?: boolean;
  /** Of its span where it is recorded; the trace alone where only its caller names one. */
  trace_id?: string;
  span_id?: string;
}

/**
 * A request of a known API key, for its account's own log of requests. The tenant is that of the environment that the account
 * is in, whatever the key's.
 */
export interface Exchange extends Tenant {
  readonly operation: Operation;
  readonly keyId: string;
  /** The body of the answer. */
  answer: string | null;
  warnings: readonly RequestWarning[];
}

declare module 'fastify' {
  interface FastifyRequest {
    logFields: LogFields;
    startedMs: number;
    /** Null while nobody knows whose request it is. */
    exchange: Exchange | null;
  }
  interface FastifyContextConfig {
    /** Sends a page in place of an error of ours to a person with a browser; absent: they get JSON. */
    errorPage?: (request: FastifyRequest, reply: FastifyReply, status: number) => FastifyReply;
  }
}

export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern, never the address with its parameters. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly fields: LogFields;
}
