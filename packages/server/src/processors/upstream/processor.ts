/** What the folder of a processor declares: everything that the rest of the server has to know of it. */

import type { ProcessorCapabilities } from '../port/capabilities.ts';
import type { ProcessorConnection, ProcessorPort } from '../port/port.ts';
import type { ReportFormat } from '../port/settlement.ts';
import type { Transport } from '../wire/transport.ts';
import type { ObservationDependencies } from './observation.ts';

export type Credentials = ProcessorConnection['credentials'];

/** Where an upstream takes calls. */
export type Hosts = Pick<ProcessorConnection, 'baseUrl' | 'disputesUrl'>;

/** One thing that the operator takes from the upstream's own dashboard. */
export interface CredentialField {
  /** As the operator writes it. */
  readonly name: string;
  /** As the adapter reads it. */
  readonly key: string;
  readonly meaning: string;
  readonly required: 'always' | 'live' | 'never';
  readonly secret: boolean;
  readonly pattern: RegExp;
}

/** What an adapter needs from outside. */
export interface AdapterDependencies extends ObservationDependencies {
  readonly transport: Transport;
  /** Resolves after so many milliseconds. */
  delay(ms: number): Promise<void>;
  /** Wall clock, for the lifetime of the upstream's tokens. */
  now(): Date;
}

/** What a simulator signs a merchant account's notifications with. */
export interface SimulatorSecrets {
  readonly hmacKey: string;
  readonly user: string;
  readonly password: string;
  readonly webhookId: string;
}

/** One thing that was asked of the upstream to see whether a connection works. */
export interface ConnectionFinding {
  readonly check: string;
  readonly ok: boolean;
  /** In words for the operator; never with a credential, nor with what the upstream wrote. */
  readonly detail: string;
}

export interface Processor {
  /** For people: its name, what it offers, and what the operator needs from it for live payments. */
  readonly words: {
    readonly name: string;
    readonly does: string;
    readonly credentials: readonly string[];
  };
  readonly capabilities: ProcessorCapabilities;
  /** Every credential that an operator gives, in the order in which they are asked for. */
  readonly credentialFields: readonly CredentialField[];
  /** The credential that names the merchant account. It is not secret, and stays where keys and apps are replaced. */
  readonly merchantAccountKey: string;
  /** Hosts that serve one environment only; any other, such as a proxy, serves that of its mode. */
  readonly environmentHosts: { readonly test: RegExp; readonly live: RegExp };
  /** The upstream's own addresses of a mode. */
  defaultHosts(livemode: boolean, credentials: Credentials): Hosts;
  createAdapter(dependencies: AdapterDependencies): ProcessorPort;
  /** Whether the upstream takes the credentials. Changes nothing there. */
  checkConnection(transport: Transport, connection: ProcessorConnection): Promise<ConnectionFinding[]>;
  /** The upstream's own report of what it paid out; absent where it has none that is read. */
  readonly settlementReport?: ReportFormat;
  /** How the adapter meets the simulator in place of the upstream. */
  readonly simulator: {
    /** @param origin of the simulator, without a slash at the end */
    hosts(origin: string): Hosts;
    credentials(merchantAccount: string, secrets: SimulatorSecrets, hosts: Hosts): Credentials;
  };
}
