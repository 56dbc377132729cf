import { describe, expect, it } from 'vitest';
import { accountPaths } from '../../navigation/paths.ts';
import { commandsOf, findCommands } from './commands.ts';

const commands = commandsOf(accountPaths('acct_1'), true);
const first = (text: string) => findCommands(commands, text)[0]?.label;

describe('what was typed', () => {
  it.each([
    ['webhooks', 'Webhooks'],
    ['invite', 'Invite a team member'],
    ['export', 'Export payments'],
    ['go live', 'Go live'],
    ['roll key', 'Roll an API key'],
    ['rotate key', 'Roll an API key'],
    ['sign out', 'Sign out'],
    ['logout', 'Sign out'],
    ['docs', 'Documentation'],
    ['clock', 'Move the sandbox clock'],
    ['chargebacks', 'Disputes'],
    ['password', 'Change the password'],
    ['2fa', 'Settings: Security'],
    ['close month', 'Export the ledger of a month'],
    ['logo', 'Settings: Branding'],
  ])('%s leads to %s', (text, label) => {
    expect(first(text)).toBe(label);
  });

  it.each(['order-1', 'ann@', '49.90', 'pay_0000'])('%s names none', (text) => {
    expect(findCommands(commands, text)).toEqual([]);
  });

  it('offers no page or action that the role may not open', () => {
    const allowed = ['listRequestLogs', 'inviteMember'];
    const offered = commandsOf(accountPaths('acct_1'), true, allowed).map(({ label }) => label);
    expect(offered).toEqual(expect.arrayContaining(['Home', 'Request logs', 'Invite a team member']));
    for (const label of ['API keys', 'Roll an API key', 'Webhooks', 'Resend webhooks', 'Mail outbox']) {
      expect(offered).not.toContain(label);
    }
    expect(offered).not.toContain('Move the sandbox clock');
  });

  it('that is nothing shows everything, and a live account has no clock to move', () => {
    expect(findCommands(commands, ' ')).toHaveLength(commands.length);
    const live = commandsOf(accountPaths('acct_1'), false);
    expect(live.some(({ label }) => label.includes('clock'))).toBe(false);
  });
});
