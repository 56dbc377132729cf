import { walletType } from '@till/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { OperatorError } from '../../accounts/accounts.ts';
import { systemClock } from '../../lib/clock.ts';
import { MerchantClient } from '../lib/merchant-client.ts';
import { report, type Shell } from '../lib/output.ts';
import { keyOption, serverAddress, serverOption } from './listen.ts';

const waitMs = 15_000;
const pollIntervalMs = 250;

interface Answer {
  readonly id: string;
  readonly status: string;
}

class Api extends MerchantClient {
  pay(changes: object = {}, card: object = {}): Promise<Answer> {
    return this.call('POST', '/payments', {
      amount: 4990,
      currency: 'EUR',
      payment_method: {
        type: 'card',
        number: '4111111111111111',
        exp_month: 3,
        exp_year: systemClock.now().getUTCFullYear() + 4,
        cvc: '737',
        holder_name: 'Jane Smith',
        ...card,
      },
      success_url: 'https://shop.example/ok',
      failure_url: 'https://shop.example/failed',
      ...changes,
    });
  }
}

/** Creates a payment that waits for its buyer: by wallet or, if the account takes none, by a card with a 3-D Secure challenge. */
async function payAndWait(api: Api): Promise<Answer> {
  try {
    return await api.pay({ payment_method: { type: walletType } });
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== 'invalid_params') throw error;
    return api.pay({}, { number: '4212345678910006' });
  }
}

async function refund(api: Api, on: string | undefined, outcome: 'succeeded' | 'failed'): Promise<Answer> {
  const payment = on ?? (await api.pay()).id;
  const made = await api.call<Answer>('POST', `/payments/${payment}/refunds`, {});
  if (made.status !== 'pending') return made;
  return api.call('POST', `/test_helpers/refunds/${made.id}/settle`, { outcome });
}

type Maker = (api: Api, on: string | undefined) => Promise<Answer>;

const held = (api: Api) => api.pay({ capture_method: 'manual' });

/** Creates an event of each type. Each function returns the object of the event. */
const makers: Readonly<Record<string, Maker>> = {
  'payment.succeeded': (api, on) =>
    on === undefined ? api.pay() : api.call('POST', `/payments/${on}/capture`, {}),
  'payment.failed': (api) => api.pay({}, { holder_name: 'CCREJECT-REFUSED' }),
  'payment.requires_action': (api) => payAndWait(api),
  'payment.authorized': held,
  'payment.voided': async (api, on) => api.call('POST', `/payments/${on ?? (await held(api)).id}/void`, {}),
  'refund.succeeded': (api, on) => refund(api, on, 'succeeded'),
  'refund.failed': (api, on) => refund(api, on, 'failed'),
  'dispute.created': async (api, on) =>
    api.call('POST', `/test_helpers/payments/${on ?? (await api.pay()).id}/dispute`, {}),
};

/** The types that can be created from an existing payment (`--on`). */
const ofPayment: ReadonlySet<string> = new Set([
  'payment.succeeded',
  'payment.voided',
  'refund.succeeded',
  'refund.failed',
  'dispute.created',
]);

function knownType(text: string): string {
  if (Object.hasOwn(makers, text)) return text;
  throw new InvalidArgumentError(`one of ${Object.keys(makers).join(', ')}`);
}

interface ListedEvent {
  readonly id: string;
  readonly data: { readonly object: { readonly id: string } };
}

/** Waits until the event is in the log. A refund, for example, settles a moment after its creation. */
async function findEvent(api: Api, type: string, objectId: string): Promise<string> {
  const until = systemClock.elapsed() + waitMs;
  for (;;) {
    const page = await api.call<{ data: ListedEvent[] }>('GET', `/events?type=${type}&per_page=20`);
    const event = page.data.find(({ data }) => data.object.id === objectId);
    if (event !== undefined) return event.id;
    if (systemClock.elapsed() > until) {
      throw new OperatorError('no_event', `${objectId} was made, but no ${type} came of it.`);
    }
    await systemClock.delay(pollIntervalMs);
  }
}

export function triggerCommands(program: Command, shell: Shell): void {
  program
    .command('trigger')
    .description('make a real event on a sandbox account, through the API')
    .argument('<event>', 'such as payment.failed', knownType)
    .option('--on <id>', 'the payment to refund, capture, void or dispute; a new one where it is absent')
    .addOption(keyOption())
    .addOption(serverOption())
    .action(function (
      this: Command,
      type: string,
      options: { on?: string; apiKey: string; server?: string },
    ) {
      return report(this, shell, async () => {
        if (!/^[sr]k_test_/.test(options.apiKey)) {
          throw new OperatorError(
            'not_sandbox',
            'Only a sandbox key (sk_test_… or rk_test_…) may trigger events.',
          );
        }
        if (options.on !== undefined && !ofPayment.has(type)) {
          throw new OperatorError(
            'invalid_usage',
            `${type} is made of a new payment: leave --on out. It is for ${[...ofPayment].join(', ')}.`,
          );
        }
        const api = new Api(options.server ?? serverAddress(shell), options.apiKey);
        const object = await makers[type]?.(api, options.on);
        if (object === undefined) throw new OperatorError('invalid_usage', `${type} cannot be made.`);
        return { event: await findEvent(api, type, object.id), type, object: object.id };
      });
    });
}
