import { LineChart } from '../../components/charts/line-chart.tsx';
import { Time } from '../../components/values/time.tsx';
import { dayLabel, percentOf, percentText, sum } from '../../lib/amounts/figures.ts';
import { countOf, countText } from '../../lib/wording/plural.ts';
import { Link, usePaths } from '../../navigation/navigation.tsx';
import { ChartCard, type ChartData, NoChart } from './chart-cards.tsx';

type Webhooks = NonNullable<ChartData['webhooks']>;
type Endpoint = Webhooks['endpoints'][number];

const title = 'Webhook health';
/** The server counts pending deliveries up to this limit. */
const countedUpTo = 10_000;
const definition =
  'Events that an endpoint took at the first attempt. What it did not take is tried again; what still waits is pending.';

/** The success of webhook deliveries: over time, and by endpoint. */
export function WebhookChart({ webhooks }: { readonly webhooks: ChartData['webhooks'] }) {
  const paths = usePaths();
  if (webhooks === null || webhooks.endpoints.length === 0) {
    return (
      <ChartCard summary={undefined} definition={definition}>
        <NoChart title={title}>
          {webhooks === null ? (
            'Your role does not show webhook endpoints.'
          ) : (
            <>
              There is no endpoint yet. <Link to={paths.webhooks}>Add one</Link> to be notified of payments.
            </>
          )}
        </NoChart>
      </ChartCard>
    );
  }
  return <Health webhooks={webhooks} />;
}

function Health({ webhooks: { days, endpoints } }: { readonly webhooks: Webhooks }) {
  const tried = endpoints.filter(({ first_attempts: attempts }) => sum(attempts) > 0);
  const attempts = sum(tried.flatMap((endpoint) => endpoint.first_attempts));
  const taken = sum(tried.flatMap((endpoint) => endpoint.first_succeeded));
  const pending = sum(endpoints.map((endpoint) => endpoint.pending));
  const rate = percentOf(taken, attempts);
  const summary =
    rate === null
      ? `No event was sent in this time; ${countText(pending)} pending.`
      : `${percentText(rate)} of ${countOf(attempts, 'event')} arrived at the first attempt; ${countOf(sum(endpoints.map(({ retries }) => retries)), 'retry', 'retries')}, ${countText(pending)} pending.`;
  return (
    <ChartCard summary={summary} definition={definition}>
      {tried.length === 0 ? (
        <NoChart title={title}>No event was sent in this time.</NoChart>
      ) : (
        <LineChart
          title={title}
          labels={days.map(dayLabel)}
          series={tried.map((endpoint) => ({
            name: nameOf(endpoint, tried),
            values: endpoint.first_succeeded.map((value, day) =>
              percentOf(value, endpoint.first_attempts[day] ?? 0),
            ),
          }))}
          format={percentText}
          summary={summary}
        />
      )}
      <EndpointLines endpoints={endpoints} />
    </ChartCard>
  );
}

const ownName = ({ name, url }: Endpoint) => name ?? url.replace(/^https?:\/\//, '');

/** The name of an endpoint, or its URL without the scheme; with the id if several endpoints share it. */
function nameOf(endpoint: Endpoint, all: readonly Endpoint[]): string {
  const name = ownName(endpoint);
  const isShared = all.some((other) => other.id !== endpoint.id && ownName(other) === name);
  return isShared ? `${name} (${endpoint.id})` : name;
}

/** The figures of each endpoint. */
function EndpointLines({ endpoints }: { readonly endpoints: readonly Endpoint[] }) {
  const paths = usePaths();
  return (
    <ul aria-label="Webhook endpoints" className="mt-3 divide-y divide-line border-y border-line">
      {endpoints.map((endpoint) => (
        <li key={endpoint.id} className="py-2">
          <div className="flex flex-wrap items-baseline justify-between gap-x-3">
            <Link
              to={paths.webhook(endpoint.id)}
              className="min-w-0 truncate font-medium text-accent hover:underline"
              title={endpoint.url}
            >
              {nameOf(endpoint, endpoints)}
            </Link>
            <span className="text-sm tabular-nums">
              {endpoint.pending >= countedUpTo ? 'over 9,999' : countText(endpoint.pending)} pending
              {endpoint.oldest_pending_at !== null && (
                <span className="text-text-2">
                  , oldest <Time at={endpoint.oldest_pending_at} show="relative" />
                </span>
              )}
            </span>
          </div>
          <p className="text-sm text-text-2 tabular-nums">{wordsOf(endpoint)}</p>
        </li>
      ))}
    </ul>
  );
}

function wordsOf(endpoint: Endpoint): string {
  const { status, retries, retries_succeeded: taken } = endpoint;
  const rate = percentOf(sum(endpoint.first_succeeded), sum(endpoint.first_attempts));
  return [
    ...(status === 'paused' ? ['Paused'] : []),
    rate === null ? 'No event sent' : `${percentText(rate)} at the first attempt`,
    ...(retries === 0 ? [] : [`${countOf(retries, 'retry', 'retries')}, ${countText(taken)} taken`]),
  ].join(' · ');
}
