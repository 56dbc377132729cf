import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { OperatorError } from '../../../accounts/accounts.ts';
import { endSignals } from '../../lib/end-signals.ts';
import { MerchantClient } from '../../lib/merchant-client.ts';
import { report, type Shell } from '../../lib/output.ts';
import { keyOption, serverAddress, serverOption } from '../listen.ts';
import { docsSearch } from './docs-search.ts';
import { serveMcp } from './protocol.ts';
import { requestLogs } from './request-logs.ts';
import { isRestricted, mcpTools } from './tools.ts';

interface McpOptions {
  readonly apiKey: string;
  readonly server?: string;
  readonly allowWrites?: boolean;
}

const instructions = `Till takes payments for merchants. These tools see the one account and mode that the API key belongs to.
Amounts are integers in minor units. An approval as the answer means that a person has to agree first: say so to the user, and do not ask again. A declined payment is no error: its status is failed and failure says why.`;

async function run({ apiKey, server, allowWrites = false }: McpOptions, version: string, shell: Shell) {
  if (allowWrites && !isRestricted(apiKey)) {
    throw new OperatorError(
      'restricted_key_required',
      'Only a restricted key (rk_…) may be used with --allow-writes: agents move money only within limits. Make one with till keys create --permissions.',
    );
  }
  const address = server ?? serverAddress(shell);
  const deps = {
    api: new MerchantClient(address, apiKey),
    docs: docsSearch(address),
    logs: requestLogs(shell, apiKey),
  };
  const input = process.stdin.pipe(new PassThrough());
  for (const name of endSignals) {
    process.once(name, () => {
      process.stdin.destroy();
      input.end();
    });
  }
  const options = { name: 'till', version, instructions, tools: mcpTools(deps, { apiKey, allowWrites }) };
  await serveMcp(options, input, process.stdout, ({ message }) => process.stderr.write(`${message}\n`));
  return undefined;
}

export function mcpCommands(program: Command, shell: Shell): void {
  program
    .command('mcp')
    .description('tools for agents, by the Model Context Protocol on standard input and output; reading only')
    .addOption(keyOption())
    .addOption(serverOption())
    .option(
      '--allow-writes',
      'also tools that charge, refund, capture, void and make payment links, within the limits of a restricted key (rk_…)',
    )
    .action(function (this: Command, options: McpOptions) {
      return report(this, shell, () => run(options, program.version() ?? '', shell));
    });
}
