import { createHmac } from 'node:crypto';
import { eventTypes } from '@till/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { OperatorError } from '../../accounts/accounts.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { systemClock, unixSeconds } from '../../lib/clock.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { userAgent } from '../../lib/version.ts';
import { parseUrl } from '../../lib/web/url.ts';
import { signatureHeaders } from '../../webhooks/endpoints/sign.ts';
import { endSignals } from '../lib/end-signals.ts';
import { moment } from '../lib/moment.ts';
import { report, type Shell } from '../lib/output.ts';
import { followEvents, type StreamedEvent } from './follow-events.ts';

const forwardMs = 10_000;

/** The URL of a server with these settings. */
export const addressOf = ({ baseUrl, host, port }: Config): string =>
  baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * The address of the server that runs with the same environment.
 * @throws OperatorError `address_unknown` if that server chooses its port itself
 */
export function serverAddress(shell: Shell): string {
  const config = readConfig(shell.environment, shell.folder);
  if (config.baseUrl === null && config.port === 0) {
    throw new OperatorError(
      'address_unknown',
      'The port of the server is not known here: name its address with --server, or set BASE_URL or PORT as it has them.',
    );
  }
  return addressOf(config);
}

/** An option that names the server, for commands that speak to it over HTTP. */
export const serverOption = () => new Option('--server <url>', 'where the server is').argParser(serverAt);
export const keyOption = () =>
  new Option('--api-key <key>', 'a secret key').env('TILL_API_KEY').makeOptionMandatory();

function address(text: string): string {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('an http or https URL');
  }
  return text;
}

/** The address of a server, to which paths are appended: it has no slash at its end. */
function serverAt(text: string): string {
  const { username, password } = new URL(address(text));
  if (username !== '' || password !== '' || /[?#]/.test(text)) {
    throw new InvalidArgumentError('an http or https URL without credentials, query and fragment');
  }
  return text.replace(/\/+$/, '');
}

function secretOf(text: string): string {
  if (!/^whsec_[A-Za-z0-9+/]{32,}=*$/.test(text)) {
    throw new InvalidArgumentError('the whsec_… secret of an endpoint');
  }
  return text;
}

const seconds = (text: string): number => Math.floor(moment(text).getTime() / 1000);

/** Derives the signing secret from the key, so that a receiver can keep it configured from one run to the next. */
function secretFor(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('till listen').digest('base64')}`;
}

interface ListenOptions {
  readonly forwardTo: string;
  readonly apiKey: string;
  readonly server?: string;
  readonly since?: number;
  readonly events?: string;
  readonly secret?: string;
}

/** Whether a filter includes an event type; `payment.*` stands for all payment events. */
function isWanted(type: string, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted
    .split(',')
    .map((one) => one.trim())
    .some((one) => one === type || (one.endsWith('*') && type.startsWith(one.slice(0, -1))));
}

/** Refuses unknown types: with a misspelt one, no event would ever be forwarded. */
function knownEvents(text: string): string {
  const unknown = text.split(',').find((one) => !eventTypes.some((type) => isWanted(type, one)));
  if (unknown === undefined) return text;
  throw new InvalidArgumentError(
    `one or more of payment.* and such groups, ${eventTypes.join(', ')}, separated by commas`,
  );
}

/** Sends one event to the receiver. @returns its HTTP status, or the reason of a failure */
async function forward(
  options: ListenOptions,
  secret: string,
  event: StreamedEvent,
): Promise<number | string> {
  const { id } = JSON.parse(event.data) as { id: string };
  const timestamp = unixSeconds(systemClock.now());
  try {
    const answer = await fetch(options.forwardTo, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': userAgent,
        ...signatureHeaders(secret, { id, timestamp, body: event.data }),
      },
      body: event.data,
      signal: AbortSignal.timeout(forwardMs),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return messageOf(cause);
  }
}

async function listen(options: ListenOptions, json: boolean, shell: Shell, signal: AbortSignal) {
  const secret = options.secret ?? secretFor(options.apiKey);
  const server = options.server ?? serverAddress(shell);
  shell.out(
    json
      ? JSON.stringify({ secret })
      : `Signing secret: ${secret}\nForwarding events to ${options.forwardTo}. Ctrl-C ends it.`,
  );
  const events = followEvents({
    server,
    apiKey: options.apiKey,
    since: options.since,
    clock: systemClock,
    signal,
    onLost: (reason) => shell.out(json ? JSON.stringify({ lost: reason }) : `(${reason}; trying again)`),
  });
  for await (const event of events) {
    if (!isWanted(event.type, options.events)) continue;
    const { id } = JSON.parse(event.data) as { id: string };
    const answer = await forward(options, secret, event);
    const line = { type: event.type, id, answer };
    shell.out(json ? JSON.stringify(line) : `${event.type}  ${id}  -> ${answer}`);
  }
}

export function listenCommands(program: Command, shell: Shell): void {
  program
    .command('listen')
    .description('forward events to a receiver on this machine as they happen, signed as webhooks')
    .addOption(new Option('--forward-to <url>', 'the receiver').argParser(address).makeOptionMandatory())
    .addOption(keyOption())
    .addOption(serverOption())
    .option('--since <time>', 'begin with what happened since then', seconds)
    .option('--events <types>', 'only these, separated by commas; payment.* for all of payments', knownEvents)
    .option('--secret <secret>', 'sign as this endpoint does', secretOf)
    .action(async function (this: Command, options: ListenOptions) {
      const json = this.optsWithGlobals<{ json?: boolean }>().json === true;
      const ended = new AbortController();
      for (const name of endSignals) process.once(name, () => ended.abort());
      await report(this, shell, async () => {
        await listen(options, json, shell, ended.signal);
        return undefined;
      });
    });
}
