import type { Command } from 'commander';
import { OperatorError } from '../../accounts/accounts.ts';
import { type CheckResult, checkPage } from '../../checkout/page-security/page-check.ts';
import { readBuilt, readInventory } from '../../checkout/pages/assets.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { userAgent } from '../../lib/version.ts';
import { parseUrl } from '../../lib/web/url.ts';
import { report, type Shell } from '../lib/output.ts';
import { publicUrl } from '../lib/public-url.ts';

const timeoutMs = 15_000;

/** A checkout link without a payment. Its page has the same scripts, styles and headers as every other checkout page. */
const anyPage = '/checkout/pay/pagecheck';

function pageAddress(shell: Shell, url: string | undefined): string {
  if (url === undefined) {
    const server = publicUrl(shell);
    if (server !== '') return `${server}${anyPage}`;
    throw new OperatorError('address_unknown', 'The port of the server is not known here: use --url.');
  }
  const address = parseUrl(url);
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    throw new OperatorError('invalid_url', `${url.slice(0, 200)} is not an http:// or https:// address.`);
  }
  return address.href;
}

async function load(url: string): Promise<Response> {
  try {
    return await fetch(url, {
      headers: { 'user-agent': userAgent },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    const reason = messageOf(error);
    throw new OperatorError('page_unreachable', `${new URL(url).origin} does not answer: ${reason}`);
  }
}

async function check(url: string): Promise<CheckResult> {
  const inventory = readInventory();
  const [style] = inventory.styles;
  const answer = await load(url);
  return checkPage(
    { url, headers: answer.headers, text: await answer.text() },
    { inventory, style: style === undefined ? Buffer.alloc(0) : readBuilt(style.file) },
    async (file) => Buffer.from(await (await load(file)).arrayBuffer()),
  );
}

/** `till pagecheck`: its exit code shows whether the checkout page was modified on its way to buyers. */
export function pageCheckCommands(program: Command, shell: Shell): void {
  program
    .command('pagecheck')
    .description('compare the checkout page, as it is served, with this release')
    .option('--url <address>', 'a checkout_url, as buyers reach it; else a page without a payment')
    .action(function (this: Command, { url }: { url?: string }) {
      return report(this, shell, async () => {
        const address = pageAddress(shell, url);
        const { findings, scripts, styles } = await check(address);
        if (findings.length > 0) throw new OperatorError('page_differs', findings.join(' '));
        return { url: address, matches: true, scripts, styles };
      });
    });
}
