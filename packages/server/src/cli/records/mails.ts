import type { Command } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { findMail, listMails, type MailRow } from '../../mail/store.ts';
import { withDatabase } from '../lib/connect.ts';
import { asLines, asTable, report, type Shell } from '../lib/output.ts';

const maxListed = 100;

export function mailCommands(program: Command, shell: Shell): void {
  const mails = program.command('mails').description('the outbox of mail to owners and admins');
  mails
    .command('list')
    .description('the newest 100 of an account')
    .requiredOption('--account <id>')
    .action(function (this: Command, { account }: { account: string }) {
      return report(
        this,
        shell,
        () =>
          withDatabase(shell, async (deps) => {
            await requireAccount(deps, account);
            return listMails(deps.db, account, maxListed);
          }),
        // The text of a mail has several lines and does not fit into a table; `show` prints it.
        (rows: readonly MailRow[]) => asTable(rows.map(({ text: _text, ...row }) => row)),
      );
    });
  mails
    .command('show')
    .description('one mail with its text')
    .argument('<id>')
    .action(function (this: Command, id: string) {
      return report(
        this,
        shell,
        () =>
          withDatabase(shell, async ({ db }) => {
            const mail = await findMail(db, id);
            if (mail === undefined) throw new OperatorError('mail_not_found', `There is no mail ${id}.`);
            return mail;
          }),
        ({ text, ...mail }: MailRow) => `${asTable(mail)}\n\n${asLines(text)}`,
      );
    });
}
