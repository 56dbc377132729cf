import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

const root = new URL('../../../../', import.meta.url);
const folder = new URL('deploy/monitoring/', root);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

/** The names of all series that `/metrics` exports. */
async function series(): Promise<Set<string>> {
  const metrics = createMetrics('test', () => 0);
  metrics.observeRequests({ working: 0, queued: 0, waiting: 0 }, { total: 0 });
  const described = await metrics.registry.getMetricsAsJSON();
  return new Set(
    described.flatMap(({ name, type }) =>
      // prom-client's JSON has the type as a string, unlike its declared type.
      String(type) === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

const namesIn = (text: string) => new Set(text.match(/\b(?:till|nodejs|process)_[a-z0-9_]+[a-z]\b/g) ?? []);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

describe('the monitoring files', () => {
  it.each(['alerts.yaml', 'grafana.json'])('%s names existing series only', async (name) => {
    const known = await series();
    const named = namesIn(read(name));
    expect(named.size).toBeGreaterThan(5);
    expect([...named].filter((one) => !known.has(one))).toEqual([]);
  });

  it('every panel of the dashboard has a query of existing series', () => {
    const { panels } = JSON.parse(read('grafana.json')) as { panels: readonly Panel[] };
    expect(panels.length).toBeGreaterThan(8);
    for (const { title, targets = [] } of panels) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr } of targets) expect(namesIn(expr).size, `${title}: ${expr}`).toBeGreaterThan(0);
    }
  });

  it('the manual lists exactly the exported metrics', async () => {
    const manual = readFileSync(new URL('docs/operating/configure.md', root), 'utf8');
    const lines = [...manual.matchAll(/^\| `(till_[a-z_]+)` \|/gm)].map(([, name]) => name);
    const metrics = createMetrics('test', () => 0);
    metrics.observeRequests({ working: 0, queued: 0, waiting: 0 }, { total: 0 });
    const ours = (await metrics.registry.getMetricsAsJSON())
      .map(({ name }) => name)
      .filter((name) => name.startsWith('till_'));
    expect(lines.toSorted()).toEqual(ours.toSorted());
  });

  it('every alert has severity, summary and description', () => {
    const alerts = read('alerts.yaml').split('- alert: ').slice(1);
    expect(alerts.length).toBeGreaterThan(6);
    for (const alert of alerts) {
      expect(alert).toMatch(/expr: .+/);
      expect(alert).toMatch(/severity: (page|ticket)/);
      expect(alert).toMatch(/summary: .+/);
      expect(alert).toMatch(/description: .+/);
    }
  });

  it('what alerts count the increase of is shown before its first event', async () => {
    const metrics = createMetrics('test', () => 0);
    metrics.observeProcessor('processor_a', { inFlight: 0, openBreakers: () => 0 });
    const shown = (await metrics.registry.metrics()).split('\n');
    expect(shown).toEqual(
      expect.arrayContaining([
        'till_requests_refused_total{reason="full"} 0',
        'till_request_logs_total{outcome="dropped"} 0',
        'till_webhook_attempt_duration_seconds_count{outcome="failed"} 0',
        'till_processor_notifications_total{processor="processor_a",result="unverifiable"} 0',
      ]),
    );
    const counted = read('alerts.yaml').match(/increase\((till_[a-z_]+)/g) ?? [];
    for (const name of counted)
      expect(shown.some((line) => line.startsWith(name.slice(9)) && line.endsWith(' 0'))).toBe(true);
  });

  it('there are no other files', () => {
    expect(readdirSync(folder).toSorted()).toEqual(['alerts.yaml', 'grafana.json', 'prometheus.yaml']);
  });
});
