/**
 * All attributes that a span may have: names of OpenTelemetry's semantic conventions, or our own if those have none. No attribute
 * contains client data. A URL contains its parameters, so there is no `url.path` beside `http.route`.
 */
export interface SpanAttributes {
  readonly 'http.request.method'?: string;
  readonly 'http.response.status_code'?: number;
  /** The route's pattern. */
  readonly 'http.route'?: string;
  readonly 'server.address'?: string;
  readonly 'server.port'?: number;
  readonly 'db.system.name'?: 'postgresql';
  /** The statement's name, never its text. */
  readonly 'db.operation.name'?: string;
  /** The number of rows that share the statement. */
  readonly 'db.operation.batch.size'?: number;
  /** One of our error codes, an HTTP status or the kind of an error, never its message. */
  readonly 'error.type'?: string;
  readonly 'till.request.id'?: string;
  readonly 'till.processor'?: string;
  readonly 'till.operation'?: string;
  readonly 'till.outcome'?: string;
  readonly 'till.job'?: string;
  readonly 'till.delivery.id'?: string;
  readonly 'till.endpoint.id'?: string;
  readonly 'till.event.id'?: string;
}

const names: Readonly<Record<keyof SpanAttributes, true>> = {
  'http.request.method': true,
  'http.response.status_code': true,
  'http.route': true,
  'server.address': true,
  'server.port': true,
  'db.system.name': true,
  'db.operation.name': true,
  'db.operation.batch.size': true,
  'error.type': true,
  'till.request.id': true,
  'till.processor': true,
  'till.operation': true,
  'till.outcome': true,
  'till.job': true,
  'till.delivery.id': true,
  'till.endpoint.id': true,
  'till.event.id': true,
};

/** The names in `SpanAttributes`. */
export const attributeNames: ReadonlySet<string> = new Set(Object.keys(names));
