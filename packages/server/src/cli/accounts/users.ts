import { type Command, Option } from 'commander';
import { isoSeconds } from '../../lib/clock.ts';
import { createUser } from '../../users/invitations/create-user.ts';
import { accountsToSetUp, createSetupLink } from '../../users/invitations/setup-links.ts';
import { Passwords } from '../../users/people/passwords.ts';
import { type Role, roles } from '../../users/people/users.ts';
import { resetSignIn } from '../../users/sign-in/reset.ts';
import { withHome } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';
import { publicUrl } from '../lib/public-url.ts';

const choice = (flags: string, text: string, values: readonly string[]) =>
  new Option(flags, text).choices(values);

export function userCommands(program: Command, shell: Shell): void {
  const users = program.command('users').description('people who may use the dashboard');
  users
    .command('create')
    .description('make a person, or a person of another account, a member of this one')
    .requiredOption('--account <id>')
    .requiredOption('--email <email>')
    .requiredOption('--password <password>', 'at least 8 characters')
    .addOption(choice('--role <role>', 'what they may do', roles).default('owner'))
    .action(function (
      this: Command,
      options: { account: string; email: string; password: string; role: Role },
    ) {
      return report(this, shell, () =>
        withHome(shell, (deps) =>
          createUser({ ...deps, passwords: new Passwords() }, { ...options, accountId: options.account }),
        ),
      );
    });
  users
    .command('reset')
    .description('give somebody who cannot sign in a new password, printed once; their sessions end')
    .requiredOption('--email <email>')
    .option('--authenticator', 'end their authenticator and recovery codes as well')
    .action(function (
      this: Command,
      { email, authenticator = false }: { email: string; authenticator?: boolean },
    ) {
      return report(this, shell, () =>
        withHome(shell, (deps) =>
          resetSignIn({ ...deps, passwords: new Passwords() }, { email, authenticator }),
        ),
      );
    });
  users
    .command('setup-link')
    .description(
      'print a link by which somebody becomes an owner, once, within 24 hours and before another one does',
    )
    .option('--account <id...>', 'default: every account without an owner')
    .action(function (this: Command, { account = [] }: { account?: string[] }) {
      return report(this, shell, () =>
        withHome(shell, async (deps) => {
          const accounts = await accountsToSetUp(deps, account);
          const { path, expiresAt } = await createSetupLink(deps, accounts);
          return { url: `${publicUrl(shell)}${path}`, accounts, expires_at: isoSeconds(expiresAt) };
        }),
      );
    });
}
