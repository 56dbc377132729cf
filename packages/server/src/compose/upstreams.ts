import type { Provider } from '@till/contract';
import { KnownConnections } from '../connections/known.ts';
import { describeError } from '../lib/log.ts';
import type { Upstreams } from '../processors/connect.ts';
import { forProcessors, processors } from '../processors/registry.ts';
import type { UpstreamObservation } from '../processors/upstream/observation.ts';
import type { AdapterDependencies } from '../processors/upstream/processor.ts';
import { undiciTransport } from '../processors/wire/undici-transport.ts';
import type { Vault } from '../vault/vault.ts';
import type { ServerDependencies } from './dependencies.ts';
import { createGuard } from './guards.ts';

/** The processors themselves, for the accounts that have credentials of their own. */
export function composeUpstreams(server: ServerDependencies, { vault }: { readonly vault: Vault }) {
  const { config, db, clock, log, metrics, ways } = server;
  const network = undiciTransport({ timeoutMs: config.processorTimeoutMs });
  const known = new KnownConnections({ db, vault }, (account, error) =>
    log.error('the credentials of a connection do not open', { account, ...describeError(error) }),
  );
  const dependencies = (processor: Provider): AdapterDependencies => ({
    delay: clock.delay,
    elapsed: clock.elapsed,
    now: clock.now,
    transport: ways?.toProcessor(processor, network.send) ?? network.send,
    guard: createGuard(server, { processor, sharesOrigin: true }),
    observe: (event: UpstreamObservation) =>
      metrics.processorDuration.observe(
        { processor, operation: event.operation, outcome: event.outcome },
        event.durationMs / 1000,
      ),
  });
  const upstreams: Upstreams = {
    ports: forProcessors((processor) => processors[processor].createAdapter(dependencies(processor))),
    find: (accountId, livemode) => known.find(accountId, livemode),
  };
  return {
    upstreams,
    /** Learns of what was set, changed and removed meanwhile. */
    refresh: () => known.refresh(),
    close: () => network.close(),
  };
}
