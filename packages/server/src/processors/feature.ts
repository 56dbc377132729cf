import type { Provider } from '@till/contract';
import type { CheckConnection, Upstreams } from './connect.ts';
import { forProcessors, processors } from './registry.ts';
import { adapterDependencies, type ExchangeDependencies } from './upstream/adapter-dependencies.ts';
import type { Transport } from './wire/transport.ts';
import { undiciTransport } from './wire/undici-transport.ts';

/** Creates the adapters for the real processors, for accounts with credentials of their own. */
export function createUpstreams(
  deps: ExchangeDependencies & {
    /** Finds an account's own connection; undefined if it has none. */
    readonly find: Upstreams['find'];
    /** Wraps the usual transport; crash tests use it to inject faults. */
    readonly wrapProcessorTransport: (processor: Provider, usual: Transport) => Transport;
  },
): {
  readonly upstreams: Upstreams;
  readonly checkConnection: CheckConnection;
  readonly close: () => Promise<void>;
} {
  const network = undiciTransport({ timeoutMs: deps.timeoutMs });
  return {
    upstreams: {
      ports: forProcessors((processor) => {
        const transport = deps.wrapProcessorTransport(processor, network.send);
        return processors[processor].createAdapter(
          adapterDependencies(deps, { processor, transport, sharesOrigin: true }),
        );
      }),
      find: deps.find,
    },
    checkConnection: (processor, connection) =>
      processors[processor].checkConnection(deps.wrapProcessorTransport(processor, network.send), connection),
    close: () => network.close(),
  };
}
