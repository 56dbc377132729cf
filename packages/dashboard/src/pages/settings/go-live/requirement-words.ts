import type { Answer } from '../../../api/calls.ts';
import type { AccountPaths } from '../../../navigation/paths.ts';

type Id = Answer<'retrieveGoLive'>['requirements'][number]['id'];

interface RequirementWords {
  readonly title: string;
  /** What to do, and why. */
  readonly words: string;
  readonly link?: string;
  /** The page where it is done; absent if the operator does it on the server. */
  readonly to?: (paths: AccountPaths) => string;
}

/** The title of each requirement of live payments, and what to do about it. */
export const requirementWords: Readonly<Record<Id, RequirementWords>> = {
  two_factor: {
    title: 'Owners and admins sign in with an authenticator app',
    words: 'They can move money and make live keys: a stolen password alone must not be enough.',
    link: 'See who has one',
    to: ({ settings }) => settings('team'),
  },
  webhook: {
    title: 'A webhook was answered with 2xx',
    words:
      'Add an endpoint and answer a test event: only a webhook says what became of buyers who close the page.',
    link: 'Open webhooks',
    to: ({ webhooks }) => webhooks,
  },
  connection: {
    title: 'The processor is connected',
    words: 'Payments are refused while it is disconnected.',
    link: 'Open connection',
    to: ({ settings }) => settings('connection'),
  },
  activation: {
    title: 'The account is activated',
    words: 'The operator of this service activates it for live payments.',
  },
  credentials: {
    title: 'Live credentials of the processor are set',
    words: 'They stay on the server, sealed, and are never shown here.',
  },
  processor_check: {
    title: 'The processor accepts the live credentials',
    words:
      'It is asked once they are set, each time this page opens. Nothing is changed there and no money moves.',
  },
  https: {
    title: 'This service has a public https address',
    words: 'Buyers are sent to it with their cards. The operator sets BASE_URL.',
  },
  mail: {
    title: 'Mail is sent',
    words:
      'Disputes have deadlines and failed refunds need somebody: a mail says so. The operator sets SMTP_URL.',
  },
};

/** The command with which the operator meets the requirement; null if it is met elsewhere. */
export function commandOf(id: Id, account: string): string | null {
  switch (id) {
    case 'activation':
      return `./till accounts update ${account} --activation active`;
    case 'credentials':
      return `./till connections set --account ${account} --live --from credentials.json`;
    case 'processor_check':
      return `./till connections check --account ${account} --live`;
    default:
      return null;
  }
}
