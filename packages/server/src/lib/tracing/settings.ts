/** Where and how spans or metrics are posted. */
export interface TelemetryTarget {
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  /** The timeout of one message, including retries. */
  readonly timeoutMs: number;
  readonly compresses: boolean;
}

/** What is exported with the OpenTelemetry Protocol, according to that project's environment variables. */
export interface TelemetrySettings {
  /** Attributes of everything that is exported. */
  readonly resource: Readonly<Record<string, string>>;
  /** Null if no traces are recorded. */
  readonly traces:
    | (TelemetryTarget & {
        /** The share of traces beginning here that is recorded, 0 to 1. */
        readonly ratio: number;
        /** Whether the sampling decision of a caller with its own trace takes precedence. */
        readonly byParent: boolean;
        /** Whether `traceparent` headers are accepted and passed on. */
        readonly propagates: boolean;
        readonly queue: { readonly max: number; readonly batch: number; readonly intervalMs: number };
      })
    | null;
  /** Null if metrics are not pushed but only served. */
  readonly metrics: (TelemetryTarget & { readonly intervalMs: number }) | null;
}
