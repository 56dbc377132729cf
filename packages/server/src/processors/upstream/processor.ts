/** What the folder of a processor declares: everything that the rest of the server needs to know about it. */

import type { ProcessorCapabilities } from '../port/capabilities.ts';
import type { ProcessorConnection, ProcessorPort } from '../port/port.ts';
import type { ReportFormat } from '../port/settlement.ts';
import type { Transport } from '../wire/transport.ts';
import type { ObservationDependencies } from './observation.ts';

export type Credentials = ProcessorConnection['credentials'];

/** Base URLs of an upstream. */
export type Hosts = Pick<ProcessorConnection, 'baseUrl' | 'disputesUrl'>;

/** One credential that the operator copies from the upstream's dashboard. */
export interface CredentialField {
  /** Name as the operator writes it. */
  readonly name: string;
  /** Key under which the adapter reads it. */
  readonly key: string;
  readonly meaning: string;
  readonly required: 'always' | 'live' | 'never';
  readonly secret: boolean;
  readonly pattern: RegExp;
}

/** Dependencies of an adapter. */
export interface AdapterDependencies extends ObservationDependencies {
  readonly transport: Transport;
  /** Resolves after this many milliseconds. */
  delay(ms: number): Promise<void>;
  /** Wall clock, for the lifetime of the upstream's tokens. */
  now(): Date;
}

/** Secrets with which a simulator signs a merchant account's notifications. */
export interface SimulatorSecrets {
  readonly hmacKey: string;
  readonly user: string;
  readonly password: string;
  readonly webhookId: string;
}

/** The result of one check of whether a connection works. */
export interface ConnectionFinding {
  readonly check: string;
  readonly ok: boolean;
  /** For the operator; contains no credential and no text from the upstream. */
  readonly detail: string;
}

export interface Processor {
  /** For people: the processor's name, what it offers, and which credentials the operator needs from it for live payments. */
  readonly words: {
    readonly name: string;
    readonly does: string;
    readonly credentials: readonly string[];
  };
  readonly capabilities: ProcessorCapabilities;
  /** Every credential that the operator provides, in the order in which they are asked for. */
  readonly credentialFields: readonly CredentialField[];
  /**
   * Key of the credential that names the merchant account. It is not secret, and stays the same when keys and apps are
   * replaced.
   */
  readonly merchantAccountKey: string;
  /**
   * Hosts that serve one environment only. Any other host, such as a proxy, serves the environment of the connection's mode.
   */
  readonly environmentHosts: { readonly test: RegExp; readonly live: RegExp };
  /** The upstream's own base URLs in a mode. */
  defaultHosts(livemode: boolean, credentials: Credentials): Hosts;
  createAdapter(dependencies: AdapterDependencies): ProcessorPort;
  /** Checks whether the upstream accepts the credentials. Changes nothing there. */
  checkConnection(transport: Transport, connection: ProcessorConnection): Promise<ConnectionFinding[]>;
  /** Format of the upstream's own settlement report; absent if none is supported. */
  readonly settlementReport?: ReportFormat;
  /** How the adapter connects to the simulator in place of the upstream. */
  readonly simulator: {
    /** @param origin the simulator's origin, without a trailing slash */
    hosts(origin: string): Hosts;
    credentials(merchantAccount: string, secrets: SimulatorSecrets, hosts: Hosts): Credentials;
  };
}
