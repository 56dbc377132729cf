import { jsonResponse, type WireResponse } from '../../lib/wire.ts';

/**
 * An error for a request that never reaches an issuer, with any of Adyen's response statuses other than HTTP
 * 200.
 */
export class ServiceRefusal extends Error {
  readonly status: number;
  readonly errorCode: string;
  readonly errorType: 'validation' | 'security' | 'configuration' | 'internal';
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    errorCode: string,
    message: string,
    errorType: ServiceRefusal['errorType'] = 'validation',
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'ServiceRefusal';
    this.status = status;
    this.errorCode = errorCode;
    this.errorType = errorType;
    this.headers = headers;
  }
}

/** Serializes an error body (Adyen Checkout API v71, ServiceError). It never quotes the request. */
export function serviceErrorBody(refusal: ServiceRefusal, pspReference?: string): string {
  const { status, errorCode, message, errorType } = refusal;
  return JSON.stringify({ status, errorCode, message, errorType, pspReference });
}

export function serviceErrorResponse(refusal: ServiceRefusal): WireResponse {
  return jsonResponse(refusal.status, serviceErrorBody(refusal), refusal.headers);
}

/** An error for a field that Adyen's validation rejects (Adyen docs, "Error codes and messages"). */
export function invalid(errorCode: string, message: string): ServiceRefusal {
  return new ServiceRefusal(422, errorCode, message);
}

/**
 * An error for a request whose key is still in flight. The header asks the client to retry later (Adyen docs,
 * "API idempotency").
 */
export function stillInProgress(): ServiceRefusal {
  return new ServiceRefusal(422, '704', 'request already processed or in progress', 'validation', {
    'transient-error': 'true',
  });
}

/** A server-side failure that leaves the payment's outcome open. */
export function serverError(status: 500 | 503): WireResponse {
  return serviceErrorResponse(new ServiceRefusal(status, '000', 'Internal error', 'internal'));
}
