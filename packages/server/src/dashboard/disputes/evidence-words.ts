import type { Address, AvsVerdict, Customer, LineItem, Payment } from '@till/contract';
import type { OrderData, ProposedEvidence, TimelineStep } from '@till/contract/dashboard';
import { formatAmount } from '../../lib/money.ts';
import { charactersInLine, type DocumentLine, wrapped } from '../../lib/text/text-document.ts';

/** A payment, with the address and device from which it was made, as far as the shop reported them. */
export interface RecordedPayment {
  readonly payment: Pick<
    Payment,
    'id' | 'amount' | 'currency' | 'reference' | 'shopper_statement' | 'payment_method' | 'created'
  > & { readonly three_d_secure?: Payment['three_d_secure']; readonly avs?: AvsVerdict };
  readonly ip: string | null;
  readonly device: string | null;
  readonly delivery: Address | null;
}

/** The recorded data of a disputed payment. Amounts are in minor units. */
export interface PaymentRecord extends RecordedPayment {
  readonly accountName: string;
  readonly livemode: boolean;
  readonly refunded: number;
  readonly customer: Customer | null;
  readonly billing: Address | null;
  readonly order: OrderData;
  readonly timeline: readonly TimelineStep[];
  /** Newest first. */
  readonly earlier: readonly (RecordedPayment & { readonly isDisputed: boolean })[];
}

type Section = ProposedEvidence['sections'][number];
type Fact = readonly [name: string, value: string | null | undefined];

const utc = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
const unixUtc = (seconds: number): string => utc(new Date(seconds * 1000).toISOString());
const money = (amount: number, currency: string): string => `${formatAmount(amount, currency)} ${currency}`;

const addressText = (address: Address | null | undefined): string | null =>
  address == null
    ? null
    : [
        address.line1,
        address.line2,
        [address.postal_code, address.city].filter(Boolean).join(' '),
        address.state,
        address.country,
      ]
        .filter(Boolean)
        .join(', ');

const methodText = ({ type, brand, last4 }: Payment['payment_method']): string =>
  last4 === null ? type : `${brand ?? type}, ending in ${last4}`;

const section = (title: string, facts: readonly Fact[]): Section[] => {
  const known = facts.flatMap(([name, value]) => (value ? [{ name, value }] : []));
  return known.length === 0 ? [] : [{ title, facts: known }];
};

const itemFact = ({ name, quantity = 1, unit_amount: each }: LineItem, currency: string): Fact => [
  'Item',
  `${quantity} x ${name}, ${money(each, currency)} each`,
];

/** What the buyer bought and paid. */
function receipt({ payment, accountName, refunded, order }: PaymentRecord): Section[] {
  const { currency } = payment;
  return section('Receipt', [
    ['Shop', accountName],
    ['Payment', payment.id],
    ['Reference', payment.reference],
    ['Invoice', order.invoice_id],
    ['Paid', unixUtc(payment.created)],
    ['Amount', money(payment.amount, currency)],
    ['Paid with', methodText(payment.payment_method)],
    ['On the statement', payment.shopper_statement],
    ['Refunded', refunded === 0 ? null : money(refunded, currency)],
    ['Description', order.description],
    ...order.line_items.map((item) => itemFact(item, currency)),
    ['Shipping', order.shipping_amount === undefined ? null : money(order.shipping_amount, currency)],
  ]);
}

const buyer = ({ customer, ip, device, billing, delivery }: PaymentRecord): Section[] =>
  section('Buyer', [
    ['Name', customer?.name],
    ['E-mail', customer?.email],
    ['Phone', customer?.phone],
    ['Known to the shop since', customer === null ? null : unixUtc(customer.created)],
    ['IP address', ip],
    ['Browser', device],
    ['Billing address', addressText(billing)],
    ['Delivery address', addressText(delivery)],
  ]);

const shifts: Readonly<Record<string, string>> = {
  YES: 'shifted to the issuer',
  POSSIBLE: 'shifted to the issuer',
  NO: 'not shifted',
};
const inWords = (word: string): string => word.replaceAll('_', ' ');

/** What the issuer and the card scheme reported when the payment was made. */
function checks({ payment: { three_d_secure: secure, avs } }: PaymentRecord): Section[] {
  return section('Authentication and checks', [
    [
      '3-D Secure',
      secure === undefined
        ? 'no result was reported'
        : `liability ${shifts[secure.liability_shift] ?? 'unknown'} (reported: ${secure.liability_shift})`,
    ],
    ['Enrolment', secure?.enrollment_status],
    ['Authentication', secure?.authentication_status],
    [
      'Address and code',
      avs &&
        `address ${inWords(avs.address)}, postal code ${inWords(avs.postal_code)}, security code ${inWords(avs.cvc)}`,
    ],
  ]);
}

/** What happened, and whether the shop's server accepted the webhook about it. The issuer need not know the server's URL. */
const history = ({ timeline }: PaymentRecord): Section[] =>
  section(
    'History',
    timeline.map(({ at, kind, deliveries }): Fact => {
      const isTaken = deliveries.some(({ state }) => state === 'succeeded');
      const notice = isTaken ? "; the shop's server took the notice" : '';
      return [utc(at), `${inWords(kind.replace('.', ' '))}${notice}`];
    }),
  );

/** What an earlier payment has in common with the disputed one. */
function shared(earlier: RecordedPayment, now: RecordedPayment): string[] {
  const [before, present] = [earlier.payment.payment_method, now.payment.payment_method];
  const isSame = (one: string | null, other: string | null) => one !== null && one === other;
  return [
    ...(isSame(before.last4, present.last4) && before.brand === present.brand
      ? ['same card number ending']
      : []),
    ...(isSame(earlier.ip, now.ip) ? ['same IP address'] : []),
    ...(isSame(earlier.device, now.device) ? ['same browser'] : []),
    ...(isSame(addressText(earlier.delivery), addressText(now.delivery)) ? ['same delivery address'] : []),
  ];
}

const earlierPayments = (record: PaymentRecord): Section[] =>
  section(
    'Earlier payments of the same customer',
    record.earlier.map((earlier) => {
      const { payment, isDisputed } = earlier;
      const words = [
        money(payment.amount, payment.currency),
        payment.id,
        ...(payment.reference === null ? [] : [`reference ${payment.reference}`]),
        isDisputed ? 'disputed' : 'not disputed',
        ...shared(earlier, record),
      ];
      return [unixUtc(payment.created), words.join(', ')];
    }),
  );

/** The recorded data in sections. Sections without facts are left out. */
export const proposedSections = (record: PaymentRecord): Section[] => [
  ...receipt(record),
  ...buyer(record),
  ...checks(record),
  ...history(record),
  ...earlierPayments(record),
];

/** Names are printed in a column of this width. */
const nameWidth = 26;

/** The lines of the document for the issuer. @param at account time, as the page shows it */
export const evidenceLines = (
  { accountName, livemode, payment }: PaymentRecord,
  sections: readonly Section[],
  at: string,
): DocumentLine[] => [
  { heading: `Payment ${payment.id}` },
  `From the records of ${accountName}, ${utc(at)}.${livemode ? '' : ' A test payment: no money was moved.'}`,
  ...sections.flatMap(({ title, facts }): DocumentLine[] => [
    '',
    { heading: title },
    ...facts.flatMap(({ name, value }) =>
      wrapped(value, charactersInLine - nameWidth).map(
        (text, index) => `${(index === 0 ? name : '').padEnd(nameWidth)}${text}`,
      ),
    ),
  ]),
];
