/** Where spans or metrics are posted to. */
export interface TelemetryTarget {
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  /** For one message, tries again included. */
  readonly timeoutMs: number;
  readonly compresses: boolean;
}

/** What is exported by the OpenTelemetry Protocol, by that project's own environment variables. */
export interface TelemetrySettings {
  /** Attributes of everything that is exported. */
  readonly resource: Readonly<Record<string, string>>;
  /** null: no traces are recorded. */
  readonly traces:
    | (TelemetryTarget & {
        /** Share of traces that begin here, 0 to 1. */
        readonly ratio: number;
        /** Whether a caller that names its trace decides instead. */
        readonly byParent: boolean;
        /** Whether `traceparent` is taken and passed on. */
        readonly propagates: boolean;
        readonly queue: { readonly max: number; readonly batch: number; readonly intervalMs: number };
      })
    | null;
  /** null: metrics are only shown. */
  readonly metrics: (TelemetryTarget & { readonly intervalMs: number }) | null;
}
