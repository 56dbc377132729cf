import { type AccountPaths, withQuery } from '../../navigation/paths.ts';
import { leadsTo } from '../../navigation/site-map.ts';

export interface SearchTarget {
  readonly label: string;
  readonly to: string;
}

const byPrefix: readonly (readonly [
  prefix: string,
  label: string,
  to: (paths: AccountPaths, id: string) => string,
  needs?: string,
])[] = [
  ['pay_', 'Open payment', (paths, id) => paths.payment(id)],
  ['pl_', 'Open payment link', (paths, id) => paths.paymentLink(id)],
  ['cus_', 'Open customer', (paths, id) => paths.customer(id)],
  ['dsp_', 'Open dispute', (paths, id) => paths.dispute(id)],
  ['re_', 'Find refund', (paths, id) => withQuery(paths.refunds, { search: id })],
  ['evt_', 'Find event', (paths, id) => withQuery(paths.events, { search: id })],
  ['we_', 'Open webhook endpoint', (paths, id) => paths.webhook(id), 'listWebhookEndpoints'],
  ['req_', 'Find request', (paths, id) => withQuery(paths.logs, { search: id }), 'listRequestLogs'],
];

const wholeId = /(?:^|\s)([a-z]+_[0-9a-z]{8,})$/i;

/**
 * The targets of a search text. An id, also after a verb, leads to its page; any other text leads to the lists.
 * @param allowed the operations that the person's role allows; undefined while they are unknown
 */
export function searchTargets(
  text: string,
  paths: AccountPaths,
  allowed?: readonly string[],
): SearchTarget[] {
  const search = text.trim();
  if (search === '') return [];
  const id = wholeId.exec(search)?.[1] ?? '';
  const known = byPrefix.find(([prefix]) => id.startsWith(prefix));
  if (known !== undefined) {
    const [, label, to, needs] = known;
    if (!leadsTo(needs, allowed)) return [];
    return [{ label: `${label} ${id}`, to: to(paths, id) }];
  }
  return [
    { label: `Search payments for “${search}”`, to: withQuery(paths.payments, { search }) },
    { label: `Search customers for “${search}”`, to: withQuery(paths.customers, { search }) },
    ...(leadsTo('listRequestLogs', allowed)
      ? [{ label: `Search request logs for “${search}”`, to: withQuery(paths.logs, { search }) }]
      : []),
  ];
}
