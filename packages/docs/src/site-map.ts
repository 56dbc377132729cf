/** A page of the site before it is rendered. */
export interface PlannedPage {
  /** The path on the site, such as `/docs/refunds`. */
  readonly address: string;
  /** The path of its Markdown file, from the root of the repository. */
  readonly source: string;
  /** A summary in one sentence, for overviews. */
  readonly summary: string;
  /** The title in lists of pages, if the heading of the page is too long or too general. */
  readonly shortTitle?: string;
}

export interface PlannedSection {
  readonly title: string;
  readonly pages: readonly PlannedPage[];
}

const guide = (name: string, summary: string, shortTitle?: string): PlannedPage => ({
  address: `/docs/${name}`,
  source: `docs/guides/${name}.md`,
  summary,
  ...(shortTitle === undefined ? {} : { shortTitle }),
});

const guides: readonly PlannedSection[] = [
  {
    title: 'Start',
    pages: [guide('quickstart', 'From an empty folder to a charge, a verified webhook and a refund.')],
  },
  {
    title: 'Take payments',
    pages: [
      guide('cards', 'Charge a typed card, with or without a question from its bank.'),
      guide(
        'wallet-and-card-fields',
        'Let the buyer approve in a wallet, or type the card on a hosted page.',
      ),
      guide('checkout', 'What buyers see on the hosted page, its languages, look and rules.', 'Hosted page'),
      guide('payment-links', 'Take money by an address or a QR code, without any code of your own.'),
      guide('hold-and-capture', 'Hold money now, collect or release it within 29 days.'),
      guide('saving-and-subscriptions', 'Keep a card or wallet and charge it again without the buyer.'),
      guide(
        'line-items',
        'Say what a payment is for, and get better rates for business cards.',
        'Line items, Level 2/3',
      ),
      guide('risk-data', 'What the card statement shows, and what fraud checks may look at.'),
      guide('retries', 'Send anything twice and have it happen once.', 'Retries and idempotency'),
    ],
  },
  {
    title: 'Keys',
    pages: [
      guide(
        'restricted-keys',
        'Lend a key: permissions, an end, addresses, limits for each payment and each day.',
      ),
      guide('approvals', 'Have refunds and captures above an amount wait for a person; keys for agents.'),
    ],
  },
  {
    title: 'After the payment',
    pages: [
      guide('refunds', 'Give back all or a part, and hear how it ended.'),
      guide('payouts', 'Which payments, refunds and fees a payout of the processor holds.'),
      guide('webhooks', 'Hear of outcomes: endpoints, signatures, retries, your own machine.'),
      guide('disputes', 'Answer a chargeback with evidence, in time.'),
    ],
  },
  {
    title: 'Test and go live',
    pages: [
      guide('testing', 'Every test card and trigger; move time, play the buyer.', 'Testing and test cards'),
      guide('errors', 'Each error and decline code: what it means and what to do.', 'Errors and declines'),
      guide('going-live', 'What changes with live keys, and the list to go through before.'),
      guide(
        'accessibility',
        'How far checkout and dashboard conform to WCAG 2.2, and a screen reader protocol.',
      ),
    ],
  },
];

export const referenceAddress = '/docs/reference';

const afterReference: readonly PlannedPage[] = [
  {
    address: '/docs/node',
    source: 'packages/sdk/README.md',
    summary: 'The typed client for Node.js.',
    shortTitle: 'Node.js SDK',
  },
  {
    address: '/docs/changelog',
    source: 'CHANGELOG.md',
    summary: 'What has changed.',
  },
];

/** The pages that operators read first, with their summaries. The other files of the folder follow these. */
const operating: Readonly<Record<string, string>> = {
  install: 'From the repository, as a service of systemd, as containers, behind a proxy.',
  configure: 'Every setting, and what runs where.',
  connections: 'Credentials at the processors: set, check, rotate.',
  upgrade: 'To a new version, with servers of the previous one running.',
  'back-up': 'Copies of the embedded database, tried before they are needed.',
  books: 'The ledger of a month, exports, and how to have them written on a schedule.',
  monitor: 'Health, metrics, logs, a Grafana dashboard and alert rules.',
  scale: 'More processes, more machines, a larger database.',
  failover: 'PostgreSQL on three machines with Patroni, and how to practise a failover.',
  'pci-scope': 'What Till does with card data, for a self-assessment questionnaire.',
  verified: 'What stands in for live processors here, and what is left to try with an account.',
};

function operatingPages(files: readonly string[]): PlannedPage[] {
  const names = files.map((file) => file.replace(/\.md$/, ''));
  const ordered = [
    ...Object.keys(operating).filter((name) => names.includes(name)),
    ...names.filter((name) => !Object.hasOwn(operating, name)),
  ];
  return ordered.map((name) => ({
    address: `/docs/operating/${name}`,
    source: `docs/operating/${name}.md`,
    summary: operating[name] ?? '',
  }));
}

const reliability: PlannedPage = {
  address: '/docs/reliability',
  source: 'docs/reliability.md',
  summary: 'What is promised about money when something ends in the middle, and how that is tried.',
};

const performance: PlannedPage = {
  address: '/docs/performance',
  source: 'docs/performance.md',
  summary: 'What a small machine does, beside what it does at least; where the time goes and what was tried.',
};

/** Every section with its pages. The section for operators contains all files of its folder. */
export const siteMap = (filesIn: (folder: string) => readonly string[]): readonly PlannedSection[] => [
  ...guides,
  { title: 'Reference', pages: afterReference },
  { title: 'Operate', pages: [...operatingPages(filesIn('docs/operating')), reliability, performance] },
];
