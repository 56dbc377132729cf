import type { Operation } from '@till/contract';
import type { Tenant } from '../../store/tenant.ts';

/** A field without which a request was accepted, for the account's request log. It contains no data of the request. */
export interface RequestWarning {
  /** The path of the field, in the form that errors use. */
  readonly param: string;
  readonly message: string;
}

/** The fields of a request's log line besides method, route and status. */
export interface LogFields {
  account?: string;
  livemode?: boolean;
  code?: string;
  /** Whether the request was refused, see `http/admission/admit.ts`. */
  refused?: boolean;
  /** The trace and span of the request's recorded span. If only the caller names a trace, just the trace. */
  trace_id?: string;
  span_id?: string;
}

/**
 * A request with a known API key, for the request log of its account. The tenant is that of the account's current environment,
 * regardless of the key's mode.
 */
export interface Exchange extends Tenant {
  readonly operation: Operation;
  readonly keyId: string;
  /** The response body. */
  answer: string | null;
  warnings: readonly RequestWarning[];
}

declare module 'fastify' {
  interface FastifyRequest {
    logFields: LogFields;
    startedMs: number;
    /** Null until the account of the request is known. */
    exchange: Exchange | null;
  }
  interface FastifyContextConfig {
    /** Sends a page instead of a server error to a person with a browser. If absent, they get JSON. */
    errorPage?: (request: FastifyRequest, reply: FastifyReply, status: number) => FastifyReply;
  }
}

export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern, never the URL with its parameters. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly fields: LogFields;
}
