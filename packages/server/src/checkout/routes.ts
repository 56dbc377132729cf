import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PaymentRow } from '../payments/present.ts';
import { type FieldErrors, readCardForm } from './card-form.ts';
import {
  buyerReturned,
  type CheckoutParts,
  merchantUrl,
  openVisit,
  type Standing,
  submitCard,
  type Visit,
} from './flow.ts';
import { cardPage, checkoutStyle, messagePage } from './pages.ts';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

function html(reply: FastifyReply, status: number, page: string) {
  return reply.code(status).headers(headers).send(page);
}

/**
 * Leaves for an address outside: by a page of ours that the browser leaves at once, since a redirect that answers a
 * form is stopped by `form-action 'self'`.
 */
function leave(reply: FastifyReply, url: string, page: Parameters<typeof messagePage>[0]) {
  reply.header('refresh', `0; url=${url}`);
  return html(reply, 200, messagePage({ ...page, action: { label: 'Continue', url } }));
}

const ending: Record<string, { heading: string; text: string }> = {
  succeeded: { heading: 'Payment complete', text: 'Your payment is complete.' },
  authorized: { heading: 'Payment complete', text: 'Your payment is authorized.' },
  voided: { heading: 'Payment cancelled', text: 'This payment was cancelled. No money has been taken.' },
};

function endOf(payment: PaymentRow): { heading: string; text: string } {
  if (payment.status !== 'failed') {
    return ending[payment.status] ?? { heading: 'Payment', text: 'This payment is not finished.' };
  }
  const late = ['3ds_token_expired', '3ds_abandoned', 'confirmation_expired'].includes(
    payment.failure_code ?? '',
  );
  return late
    ? {
        heading: 'This payment link has expired',
        text: 'This payment link has expired. No money has been taken.',
      }
    : { heading: 'Payment declined', text: 'Your bank declined this payment. No money has been taken.' };
}

/** Back to the merchant where there is an address for it, else the outcome on our page. */
function finish(
  reply: FastifyReply,
  visit: Visit,
  payment: PaymentRow,
  query: Readonly<Record<string, string>> = {},
) {
  const { request, context } = visit;
  const good = payment.status === 'succeeded' || payment.status === 'authorized';
  const target = good ? request.success_url : request.failure_url;
  const page = { merchant: context.accountName, livemode: payment.livemode, payment, ...endOf(payment) };
  if (target === undefined) return html(reply, 200, messagePage(page));
  return leave(reply, merchantUrl(target, payment, query), page);
}

function showCard(reply: FastifyReply, visit: Visit, problem: string, errors: FieldErrors = {}, name = '') {
  const { payment, request, context, tokenText } = visit;
  const wrong = problem !== '' || Object.keys(errors).length > 0;
  return html(
    reply,
    wrong ? 422 : 200,
    cardPage({
      merchant: context.accountName,
      payment,
      action: `/checkout/pay/${tokenText}`,
      cancelUrl: request.failure_url === undefined ? null : merchantUrl(request.failure_url, payment),
      errors,
      problem,
      name,
    }),
  );
}

function showApproval(reply: FastifyReply, visit: Visit, text: string) {
  const { payment, request, context, tokenText } = visit;
  const wallet = payment.next_action === 'processor_b_wallet';
  return html(
    reply,
    200,
    messagePage({
      merchant: context.accountName,
      livemode: payment.livemode,
      heading: `Pay ${context.accountName}`,
      text,
      payment,
      action: {
        label: wallet ? 'Continue to the wallet' : 'Continue to your bank',
        url: `/checkout/pay/${tokenText}/continue`,
      },
      second:
        request.failure_url === undefined
          ? null
          : {
              label: `Cancel and return to ${context.accountName}`,
              url: merchantUrl(request.failure_url, payment),
            },
    }),
  );
}

function show(reply: FastifyReply, visit: Visit, text = '') {
  if (visit.payment.status !== 'requires_action') return finish(reply, visit, visit.payment);
  if (visit.payment.next_action === 'processor_b_card_fields') return showCard(reply, visit, text);
  return showApproval(
    reply,
    visit,
    text === '' ? 'You approve the payment there and come back here. No money is taken before that.' : text,
  );
}

function showStanding(reply: FastifyReply, visit: Visit, standing: Standing, request: FastifyRequest) {
  const { context, payment, tokenText } = visit;
  const around = { merchant: context.accountName, livemode: payment.livemode };
  switch (standing.kind) {
    case 'settled':
      return finish(reply, visit, standing.payment, queryOf(request));
    case 'not_approved':
      return show(
        reply,
        { ...visit, payment: standing.payment },
        'You have not approved this payment. No money has been taken.',
      );
    case 'card_refused':
      return showCard(reply, visit, 'This card was refused. No money has been taken. Use another card.');
    case 'go_to':
      return leave(reply, standing.url, {
        ...around,
        heading: 'Your bank is checking your details',
        text: 'Continue to your bank to approve the payment. No money has been taken yet.',
      });
    case 'in_doubt':
      return html(
        reply,
        503,
        messagePage({
          ...around,
          heading: 'Something went wrong on our side',
          text: `We do not know yet whether the payment finished: do not pay again. Reference: ${request.id}`,
          action: { label: 'Check again', url: `/checkout/pay/${tokenText}` },
        }),
      );
    case 'not_possible':
      return html(
        reply,
        422,
        messagePage({
          ...around,
          heading: 'This payment is not possible',
          text: 'The shop cannot take this payment at the moment. No money has been taken.',
        }),
      );
  }
}

function queryOf(request: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.query as Record<string, string | string[]>).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (value[0] ?? ''),
    ]),
  );
}

type Step = (visit: Visit, request: FastifyRequest, reply: FastifyReply) => unknown;

async function payByCard(parts: CheckoutParts, visit: Visit, request: FastifyRequest, reply: FastifyReply) {
  const { payment, context } = visit;
  const takesCard = payment.status === 'requires_action' && payment.next_action === 'processor_b_card_fields';
  if (!takesCard) return show(reply, visit);
  const form = new URLSearchParams(
    ((request.body as Buffer | undefined) ?? Buffer.alloc(0)).toString('utf8'),
  );
  const read = readCardForm(form, context.now);
  if ('errors' in read) return showCard(reply, visit, '', read.errors, read.name);
  return showStanding(reply, visit, await submitCard(parts, visit, read.card), request);
}

async function goOn(parts: CheckoutParts, visit: Visit, reply: FastifyReply) {
  const { payment, token } = visit;
  if (payment.status !== 'requires_action' || payment.redirect_url === null) return show(reply, visit);
  await parts.tokens.confirmOnReturn(token);
  return reply.redirect(payment.redirect_url, 303);
}

async function comeBack(parts: CheckoutParts, visit: Visit, request: FastifyRequest, reply: FastifyReply) {
  const query = queryOf(request);
  const standing = await buyerReturned(parts, visit, query);
  if (standing.kind !== 'for_merchant') return showStanding(reply, visit, standing, request);
  const { success_url: url } = visit.request;
  const page = {
    merchant: visit.context.accountName,
    livemode: visit.payment.livemode,
    heading: 'Returning to the shop',
    text: 'The shop finishes the payment. No money has been taken yet.',
  };
  if (url === undefined) return html(reply, 200, messagePage(page));
  return leave(reply, merchantUrl(url, visit.payment, query), page);
}

function giveUp(visit: Visit, reply: FastifyReply) {
  const { payment, request, token, context } = visit;
  const text = 'You have not approved this payment. No money has been taken.';
  if (payment.status !== 'requires_action') return finish(reply, visit, payment);
  if (token.confirm_on_return || request.failure_url === undefined) return show(reply, visit, text);
  return leave(reply, merchantUrl(request.failure_url, payment), {
    merchant: context.accountName,
    livemode: payment.livemode,
    heading: 'Payment not approved',
    text,
  });
}

/** The hosted checkout page and the addresses to which the upstreams send the buyer back. */
export function checkoutRoutes(app: FastifyInstance, parts: CheckoutParts): void {
  const visited = (step: Step) => async (request: FastifyRequest, reply: FastifyReply) => {
    const visit = await openVisit(parts, (request.params as { token: string }).token);
    if (visit !== undefined) return step(visit, request, reply);
    return html(
      reply,
      404,
      messagePage({
        merchant: 'Payment',
        livemode: true,
        heading: 'Payment not found',
        text: 'This payment link is not valid. No money has been taken.',
      }),
    );
  };

  app.get('/checkout/style.css', async (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=300' })
      .send(checkoutStyle),
  );
  app.get(
    '/checkout/pay/:token',
    visited((visit, _request, reply) => show(reply, visit)),
  );
  app.post(
    '/checkout/pay/:token',
    visited((visit, request, reply) => payByCard(parts, visit, request, reply)),
  );
  app.get(
    '/checkout/pay/:token/continue',
    visited((visit, _request, reply) => goOn(parts, visit, reply)),
  );
  app.get(
    '/checkout/return/:token',
    visited((visit, request, reply) => comeBack(parts, visit, request, reply)),
  );
  app.get(
    '/checkout/cancel/:token',
    visited((visit, _request, reply) => giveUp(visit, reply)),
  );
}
