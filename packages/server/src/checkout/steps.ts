import { isMailbox } from '../mail/address.ts';
import { takeBuyerMail } from '../mail/limits.ts';
import { queueMailTo } from '../mail/queue-mail.ts';
import { readCardForm } from './pages/card/card-form.ts';
import type { CardFaults } from './pages/card-fields.ts';
import { cardPage, processorFieldsPage } from './pages/card-page.ts';
import {
  cancelledPage,
  endedPage,
  fieldsUnavailablePage,
  forShopPage,
  notPossiblePage,
  openedPage,
  pausedPage,
  reasonFor,
  receiptPage,
  tooManyPage,
} from './pages/end-pages.ts';
import { openProcessorFields, usesProcessorFields } from './pages/processor-fields.ts';
import { receiptMail } from './pages/receipt-mail.ts';
import type { Page, PaymentScene } from './pages/scene.ts';
import type { TextKey } from './pages/texts/texts.ts';
import { bankPage, outagePage, processingPage, walletPage } from './pages/way-pages.ts';
import { countDeclines, countedAttempt } from './visit/counted.ts';
import {
  bankAddress,
  buyerReturned,
  type CheckoutDependencies,
  type CheckoutState,
  checkoutStateOf,
  confirmForBuyer,
  isProcessing,
  stepOf,
  submitCard,
} from './visit/flow.ts';

/** The outcome of a step: a page, a redirect, or a state for the script. */
export type StepResult =
  | Page
  | { readonly goTo: string }
  | { readonly state: 'waiting' | 'processing' | 'ended' };

/** The request of the browser. */
export interface Sent {
  readonly query: Readonly<Record<string, string>>;
  readonly form: URLSearchParams;
  /** The IP address of the browser. */
  readonly address: string;
}

/** The handler of one URL of the page: what it does to the payment, and what the buyer sees then. */
export type Step = (deps: CheckoutDependencies, scene: PaymentScene, sent: Sent) => Promise<StepResult>;

/** The form that takes a card, with what is wrong with the last one. */
async function cardStep(
  deps: CheckoutDependencies,
  scene: PaymentScene,
  status: number,
  faults: CardFaults = { errors: {}, problem: null },
): Promise<Page> {
  if (!usesProcessorFields(deps, scene.visit)) return cardPage(scene, status, faults);
  const fields = await openProcessorFields(deps, scene.visit);
  if (fields !== null) return processorFieldsPage(scene, status, fields, faults.problem);
  return fieldsUnavailablePage(scene);
}

/** The page on which a payment that waits for its buyer continues. @param problem the outcome of the last step */
function waiting(
  deps: CheckoutDependencies,
  scene: PaymentScene,
  problem: TextKey | null = null,
): Promise<Page> | Page {
  if (stepOf(scene.visit.payment) === 'approve') return walletPage(scene, problem);
  const bank = bankAddress(scene.visit);
  if (bank !== null) return bankPage(scene, bank, problem);
  return cardStep(deps, scene, problem === null ? 200 : 422, { errors: {}, problem });
}

/** Shows the page to a person who opens it. Does nothing to the payment. */
export const present: Step = async (deps, scene, { query }) => {
  const { payment } = scene.visit;
  if (payment.status === 'succeeded' && query.receipt === 'sent') {
    return receiptPage(scene, payment, 'receipt_sent');
  }
  if (payment.status !== 'requires_action') return openedPage(scene, payment);
  if (await isProcessing(deps, scene.visit)) return processingPage(scene);
  return waiting(deps, scene);
};

const takesCard = ({ visit: { payment } }: PaymentScene) =>
  payment.status === 'requires_action' && stepOf(payment) === 'enter_card';

/** Shows the card form again while the bank still asks about another card. */
export const askForCard: Step = async (deps, scene, sent) => {
  if (!takesCard(scene) || (await isProcessing(deps, scene.visit))) return present(deps, scene, sent);
  return cardStep(deps, scene, 200);
};

async function show(
  deps: CheckoutDependencies,
  scene: PaymentScene,
  standing: CheckoutState,
  query: Sent['query'] = {},
): Promise<StepResult> {
  switch (standing.kind) {
    case 'settled':
      return endedPage(scene, standing.payment, query);
    case 'ended_before':
      return openedPage(scene, standing.payment);
    case 'not_approved': {
      const visit = {
        ...scene.visit,
        payment: standing.payment,
        token: { ...scene.visit.token, bank_url: null },
      };
      return waiting(deps, { ...scene, visit }, 'not_approved');
    }
    case 'card_refused': {
      const faults = { errors: {}, problem: 'refused', reason: reasonFor(standing.code) } as const;
      return cardStep(deps, scene, 422, faults);
    }
    case 'too_many_cards':
      return tooManyPage(scene);
    case 'declined_too_often':
      return pausedPage(scene);
    case 'at_bank':
      return { goTo: scene.path };
    case 'processing':
      return processingPage(scene);
    case 'in_doubt':
      return outagePage(scene);
    case 'not_reached':
      return { ...(await waiting(deps, scene, 'not_reached')), status: 503 };
    case 'not_possible':
      return notPossiblePage(scene);
  }
}

/** Handles the card form. */
export const payByCard: Step = async (deps, scene, sent) => {
  const { visit } = scene;
  const closed = !takesCard(scene) || usesProcessorFields(deps, visit);
  if (closed || (await isProcessing(deps, visit))) return present(deps, scene, sent);
  const read = readCardForm(sent.form, visit.context.now);
  if ('errors' in read) return cardPage(scene, 422, { errors: read.errors, problem: null }, read.name);
  const payer = { address: sent.address, cardNumber: read.card.number };
  return show(
    deps,
    scene,
    await countedAttempt(deps, visit, payer, () => submitCard(deps, visit, read.card)),
  );
};

/** Handles the form that the page sends once the processor's own fields report that the buyer is done. */
export const approveFields: Step = async (deps, scene, sent) => {
  const { visit } = scene;
  if (!takesCard(scene) || (await isProcessing(deps, visit))) return present(deps, scene, sent);
  const payer = { address: sent.address, cardNumber: null };
  return show(deps, scene, await countedAttempt(deps, visit, payer, () => confirmForBuyer(deps, visit)));
};

/** Redirects to the wallet or the bank, in the whole window or in the bank's frame. */
export const continueToProvider: Step = async (deps, scene, sent) => {
  const { visit } = scene;
  const address = stepOf(visit.payment) === 'approve' ? visit.payment.redirect_url : bankAddress(visit);
  const leads = visit.payment.status === 'requires_action' && address !== null;
  if (!leads || (await isProcessing(deps, visit))) return present(deps, scene, sent);
  await deps.tokens.confirmOnReturn(visit.token, visit.context.now);
  return { goTo: address };
};

/** Continues after the "Processing" page, as if the buyer's own step had just ended. */
export const wait: Step = async (deps, scene, sent) => {
  const { payment } = scene.visit;
  return payment.status === 'requires_action' ? present(deps, scene, sent) : endedPage(scene, payment);
};

/** Answers the script: whether something is still to come. */
export const reportState: Step = async (deps, { visit }) => {
  if (visit.payment.status !== 'requires_action') return { state: 'ended' };
  if (await isProcessing(deps, visit)) return { state: 'processing' };
  return { state: bankAddress(visit) === null ? 'ended' : 'waiting' };
};

/** Handles a buyer whom the upstream sent back. */
export const returnFromProvider: Step = async (deps, scene, { query, address }) => {
  // Never delayed or refused: the buyer has already been at the bank.
  const payer = { address, cardNumber: null };
  const standing = await countDeclines(
    deps,
    scene.visit,
    payer,
    await buyerReturned(deps, scene.visit, query),
  );
  if (standing.kind !== 'for_merchant') return show(deps, scene, standing, query);
  // The shop is confirming at this moment, or has confirmed and has no answer yet.
  return (await isProcessing(deps, scene.visit)) ? processingPage(scene) : forShopPage(scene, query);
};

/** Handles a buyer who cancelled at the upstream and was sent back. */
export const cancelAtProvider: Step = async (deps, scene) => {
  const { request, token } = scene.visit;
  if (await isProcessing(deps, scene.visit)) return processingPage(scene);
  const standing = await checkoutStateOf(deps, scene.visit, 'settled', (current) => ({
    kind: 'not_approved',
    payment: current,
  }));
  if (standing.kind !== 'not_approved') return show(deps, scene, standing);
  if (!token.confirm_on_return && request.failure_url !== undefined) {
    return cancelledPage(scene, request.failure_url);
  }
  await deps.tokens.leaveBank(token);
  return show(deps, scene, standing);
};

/** Mails the receipt to the address that the buyer typed. */
export const mailReceipt: Step = async (deps, scene, sent) => {
  const { payment, token, context } = scene.visit;
  if (payment.status !== 'succeeded' || !deps.mail.sends) return present(deps, scene, sent);
  const address = (sent.form.get('email') ?? '').trim();
  if (!isMailbox(address)) return receiptPage(scene, payment, 'receipt_wrong', address.slice(0, 254));
  if (!(await deps.tokens.countReceipt(token))) return receiptPage(scene, payment, 'receipt_spent');
  const kind = context.livemode ? 'receipt' : 'test_receipt';
  const { clock } = deps.mail;
  const limit = await deps.payments.db.transaction(async (tx) => {
    const reached = await takeBuyerMail(tx, context.accountId, { kind, address }, clock.now());
    if (reached === null) {
      await queueMailTo({ ...deps.mail, db: tx }, context.accountId, address, receiptMail(scene, payment));
    }
    return reached;
  });
  if (limit !== null) return receiptPage(scene, payment, 'receipt_spent');
  return { goTo: `${scene.path}?receipt=sent` };
};
