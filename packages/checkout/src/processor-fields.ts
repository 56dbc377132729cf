import { announce, dataOf, find } from './dom.ts';

/**
 * The part of the processor's browser SDK that this page uses. The adapter names the SDK's documentation
 * (`ProcessorCapabilities.hostedFields`).
 */
interface CardSession {
  createCardFieldsComponent(options: { type: 'number' | 'expiry' | 'cvv' }): HTMLElement;
  submit(orderId: string): Promise<{ state: 'succeeded' | 'canceled' | 'failed' }>;
}

interface ProcessorSdk {
  createInstance(options: {
    clientToken: string;
    components: readonly string[];
    locale: string;
    pageType: string;
  }): Promise<{ createCardFieldsOneTimePaymentSession(): CardSession }>;
}

const types = ['number', 'expiry', 'cvv'] as const;

async function mount(sdk: ProcessorSdk, form: HTMLFormElement): Promise<CardSession> {
  const instance = await sdk.createInstance({
    clientToken: dataOf(form, 'token'),
    components: ['card-fields'],
    locale: dataOf(form, 'locale'),
    pageType: 'checkout',
  });
  const session = instance.createCardFieldsOneTimePaymentSession();
  for (const type of types)
    find(`processor-${type}`, HTMLElement)?.append(session.createCardFieldsComponent({ type }));
  return session;
}

function showProblem(text: string): void {
  const summary = find('summary', HTMLElement);
  const reason = find('summary-reason', HTMLElement);
  if (summary === undefined || reason === undefined) return;
  announce('');
  reason.textContent = text;
  summary.hidden = false;
  summary.focus();
}

/** Mounts the card fields that the processor hosts. The form then only reports that the buyer has submitted them. */
export async function startProcessorFields(): Promise<void> {
  const form = find('processor-fields', HTMLFormElement);
  if (form === undefined) return;
  const sdk = (window as unknown as Readonly<Record<string, ProcessorSdk | undefined>>)[dataOf(form, 'sdk')];
  const session = await (sdk === undefined ? null : mount(sdk, form).catch(() => null));
  const button = find('pay', HTMLButtonElement);
  if (session === null || button === undefined) {
    showProblem(dataOf(form, 'unavailable'));
    return;
  }
  button.hidden = false;
  let busy = false;
  const pay = async () => {
    const state = await session.submit(dataOf(form, 'order')).then(
      (answer) => answer.state,
      () => 'failed' as const,
    );
    // `requestSubmit` would dispatch this event again.
    if (state === 'succeeded') {
      form.submit();
    } else {
      showProblem(dataOf(form, state === 'canceled' ? 'canceled' : 'refused'));
      button.removeAttribute('aria-disabled');
      busy = false;
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    button.setAttribute('aria-disabled', 'true');
    announce(dataOf(form, 'busy'));
    void pay();
  });
}
