import { providers } from '@till/contract';
import type { Command } from 'commander';

/** Example command lines by command. Every executable command has at least one, and a test parses each. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  'till serve': ['till serve', 'PORT=9000 TILL_DATA_DIR=/srv/till till serve'],
  'till accounts create': [
    `till accounts create --name "Corner shop" --processor ${providers[0]}`,
    `till accounts create --name "Corner shop" --processor ${providers[1]} --environment live`,
    `till accounts create --name "Corner shop" --processor ${providers[0]} --cell east`,
  ],
  'till cells add': [`till cells add east --url postgresql://till:secret@db2/till`],
  'till cells address': ['till cells address east --url -'],
  'till cells list': ['till cells list'],
  'till cells drain': ['till cells drain home', 'till cells drain home --undo'],
  'till cells remove': ['till cells remove east'],
  'till accounts update': ['till accounts update acct_… --environment live --activation active'],
  'till accounts move': ['till accounts move acct_… --to east'],
  'till accounts list': ['till accounts list'],
  'till accounts get': ['till accounts get acct_… --json'],
  'till keys create': [
    'till keys create --account acct_… --name "Web shop"',
    'till keys create --account acct_… --permissions payments:read,refunds:write --max-amount 5000 --max-daily 20000',
  ],
  'till keys roll': ['till keys roll key_… --expires-in 86400'],
  'till keys revoke': ['till keys revoke key_…'],
  'till keys list': ['till keys list --account acct_…'],
  'till users reset': ['till users reset --email jane@example.com --authenticator'],
  'till users create': [
    'till users create --account acct_… --email jane@example.com --password … --role owner',
  ],
  'till users setup-link': ['till users setup-link --account acct_…'],
  'till clock advance': ['till clock advance --account acct_… --seconds 900'],
  'till sandbox void-hold': ['till sandbox void-hold --payment pay_…'],
  'till sandbox ledger': ['till sandbox ledger --account acct_…'],
  'till sandbox settle': ['till sandbox settle --account acct_… --out report.csv'],
  'till db url': ['psql "$(till db url)"'],
  'till notifications list': ['till notifications list --account acct_… --state parked'],
  'till notifications retry': ['till notifications retry ntf_… --account acct_…'],
  'till approvals list': ['till approvals list --account acct_… --status pending'],
  'till approvals approve': ['till approvals approve apr_… --reason "Goods are back"'],
  'till approvals refuse': ['till approvals refuse apr_… --reason "Ask again with the invoice"'],
  'till disputes open': ['till disputes open --payment pay_… --reason fraudulent'],
  'till disputes move': ['till disputes move dp_… --status won'],
  'till disputes list': ['till disputes list --account acct_…'],
  'till mails list': ['till mails list --account acct_…'],
  'till mails show': ['till mails show mail_…'],
  'till logs tail': ['till logs tail --status 4xx', 'till logs tail --account acct_… --no-follow --json'],
  'till logs get': ['till logs get req_…'],
  'till links list': ['till links list --account acct_… --status active'],
  'till links show': ['till links show pl_…'],
  'till links create': [
    'till links create --account acct_… --title "Pottery course" --currency EUR --amount 4990 --max-payments 1',
    'till links create --account acct_… --title Donation --currency EUR --min 500 --max 50000',
  ],
  'till links update': [
    `till links update pl_… --title "Pottery course in May" --expires-at 2026-12-31T23:59:59Z`,
  ],
  'till links deactivate': ['till links deactivate pl_…'],
  'till payments get': ['till payments get pay_…'],
  'till payments settle-refund': [
    'till payments settle-refund re_… --as failed --reason "Not in the processor\'s list of 28 November" --confirm',
  ],
  'till events list': ['till events list --account acct_… --type payment.failed'],
  'till events get': ['till events get evt_…'],
  'till events resend': ['till events resend evt_…', 'till events resend evt_… --endpoint we_…'],
  'till figures rebuild': ['till figures rebuild'],
  'till migrate': ['till migrate --plan', 'till migrate'],
  'till vault rotate': ['till vault rotate --account acct_…'],
  'till vault rewrap': ['till vault rewrap'],
  'till reconcile': ['till reconcile --account acct_…'],
  'till backup': ['till backup /backups/2026-11-20'],
  'till restore': ['till restore /backups/2026-11-20 --verify'],
  'till webhooks create': ['till webhooks create --account acct_… --url https://shop.example/webhooks'],
  'till webhooks roll': ['till webhooks roll we_…'],
  'till webhooks list': ['till webhooks list --account acct_…'],
  'till webhooks update': ['till webhooks update we_… --additional-events on'],
  'till webhooks pause': ['till webhooks pause we_…'],
  'till webhooks resume': ['till webhooks resume we_…'],
  'till webhooks delete': ['till webhooks delete we_…'],
  'till webhooks test': ['till webhooks test we_…'],
  'till webhooks deliveries': ['till webhooks deliveries we_… --state failed --since 2026-11-20T12:00:00Z'],
  'till webhooks attempts': ['till webhooks attempts dlv_…'],
  'till webhooks retry': [
    'till webhooks retry dlv_…',
    'till webhooks retry we_… --since 2026-11-20T12:00:00Z',
  ],
  'till webhooks replay': [
    'till webhooks replay we_… --since 2026-11-20T08:00:00Z --until 2026-11-20T12:00:00Z',
  ],
  'till webhooks recover': [
    'till webhooks recover we_… --since 2026-11-20T08:00:00Z --types payment.succeeded,payment.failed',
  ],
  'till settlements import': [
    'till settlements import settlement_detail_report_batch_17.csv --account acct_…',
  ],
  'till settlements list': ['till settlements list --account acct_…'],
  'till settlements unmatched': ['till settlements unmatched po_… --account acct_…'],
  'till settlements export': ['till settlements export --account acct_… --month 2026-11 --live'],
  'till ledger export': ['till ledger export --account acct_… --month 2026-11 --live'],
  'till listen': ['till listen --api-key sk_test_… --forward-to http://localhost:3000/webhooks'],
  'till trigger': ['till trigger payment.failed --api-key sk_test_…'],
  'till pagecheck': ['till pagecheck --url https://pay.example.com'],
  'till doctor': ['till doctor', 'till doctor --json'],
  'till mcp': [
    'TILL_API_KEY=sk_test_… till mcp',
    'TILL_API_KEY=rk_test_… till mcp --allow-writes --server https://pay.example.com',
  ],
  'till connections set': [
    'till connections set --account acct_… --live --from credentials.json',
    'secret-store read till/live | till connections set --account acct_… --live',
  ],
  'till connections rotate': [`echo '{"api_key": "…"}' | till connections rotate --account acct_… --live`],
  'till connections show': ['till connections show --account acct_…'],
  'till connections check': ['till connections check --account acct_… --live'],
  'till connections remove': ['till connections remove --account acct_… --live'],
  'till completion': ['source <(till completion bash)', 'till completion fish | source'],
};

const firstSteps = `
First steps:
  ./till serve                                              start; the first start prints two test keys and a link
  ./till accounts list                                      whose payments this server takes
  ./till listen --api-key sk_test_… --forward-to URL        events on your own machine
  ./till logs tail --status 4xx                             which requests are refused, as it happens
  ./till payments get pay_…                                 what became of one payment, and who was notified

Commands work beside the running server with the same environment. "./till <command> --help" shows examples.`;

/** Prefixes `till` with `./`, as it is called in the repository: the package registry has another program of this name. */
const asTyped = (line: string) => line.replaceAll(/(?<=^|[ (])till (?=[a-z])/g, './till ');

/** Adds its examples to the help of each command, and the first steps to the program's own help. */
export function addExamples(program: Command): void {
  program.addHelpText('after', firstSteps);
  const add = (command: Command, path: string) => {
    const own = examples[path];
    if (own !== undefined) {
      command.addHelpText('after', `\nExamples:\n${own.map((line) => `  ${asTyped(line)}`).join('\n')}`);
    }
    for (const child of command.commands) add(child, `${path} ${child.name()}`);
  };
  for (const child of program.commands) add(child, `till ${child.name()}`);
}
