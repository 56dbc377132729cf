import { ApiError } from '@till/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readLogo } from '../accounts/branding.ts';
import { suspendOf } from '../http/admission/admit.ts';
import { type BrowserCookie, readBrowser } from './browser.ts';
import type { CheckoutPageDependencies } from './dependencies.ts';
import { reportPath } from './page-security/policy.ts';
import { reportIntake } from './page-security/reports.ts';
import { notFoundPage, otherBrowserPage } from './pages/end-pages.ts';
import type { PaymentScene } from './pages/scene.ts';
import { chooseLanguage } from './pages/texts/languages.ts';
import { frameEndPage } from './pages/way-pages.ts';
import { Words } from './pages/words.ts';
import {
  bareScene,
  bodyOf,
  chosenIn,
  headerOf,
  paramsOf,
  queryOf,
  refuseOtherSite,
  send,
  sendErrorPage,
  shopScene,
} from './reply.ts';
import {
  approveFields,
  askForCard,
  cancelAtProvider,
  continueToProvider,
  mailReceipt,
  payByCard,
  present,
  reportState,
  returnFromProvider,
  type Step,
  type StepResult,
  wait,
} from './steps.ts';
import { findVisit, type Visit } from './visit/flow.ts';

function paymentScene(deps: CheckoutPageDependencies, request: FastifyRequest, visit: Visit): PaymentScene {
  const { context, token, customer, branding, tokenText } = visit;
  const language = chooseLanguage({
    chosen: chosenIn(request)?.tag ?? token.language,
    customer: customer?.locale ?? null,
    browserInfo: visit.request.browser_info?.language ?? null,
    accepted: headerOf(request, 'accept-language'),
    account: branding.defaultLocale,
  });
  return {
    visit,
    words: new Words(language),
    assets: deps.assets,
    ...shopScene(deps, context, branding),
    path: `/checkout/pay/${tokenText}`,
    requestId: request.id,
    now: deps.payments.clock.now(),
    mails: deps.mail.sends,
  };
}

/** Whether the payment is bound to another browser. A browser that keeps no cookies never binds a payment. */
const isForeign = (visit: Visit, { hash }: BrowserCookie): boolean =>
  visit.token.browser_sha256 !== null && hash?.equals(visit.token.browser_sha256) !== true;

interface StepOptions {
  /** Whether any browser may use this URL: the upstreams may send buyers back in any browser. */
  readonly anyBrowser?: boolean;
  /** Whether one of our frames may start here, on its way to the bank. */
  readonly inFrame?: boolean;
  /** Whether the payment is bound to the first browser that uses this URL. */
  readonly binds?: boolean;
}

const isFrame = (request: FastifyRequest) => headerOf(request, 'sec-fetch-dest') === 'iframe';

/** Whether this browser may continue the payment. The payment is bound to the first browser that sends something. */
async function mayContinue(
  deps: CheckoutPageDependencies,
  visit: Visit,
  browser: BrowserCookie,
  options: StepOptions,
): Promise<boolean> {
  if (options.anyBrowser === true) return true;
  if (isForeign(visit, browser)) return false;
  if (options.binds !== true || browser.hash === null) return true;
  return deps.tokens.bindBrowser(visit.token, browser.hash);
}

async function keepLanguage(deps: CheckoutPageDependencies, { token }: Visit, request: FastifyRequest) {
  const chosen = chosenIn(request)?.tag;
  if (chosen === undefined || chosen === token.language) return;
  await deps.tokens.chooseLanguage(token, chosen);
}

function visiting(deps: CheckoutPageDependencies, secure: () => boolean) {
  const answer = async (
    scene: PaymentScene,
    { step, options }: { step: Step; options: StepOptions },
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    const browser = readBrowser(request.headers.cookie, secure(), deps.payments.randomBytes);
    if (browser.setCookie !== null) reply.header('set-cookie', browser.setCookie);
    if (!(await mayContinue(deps, scene.visit, browser, options))) {
      return send(reply, scene, otherBrowserPage(scene));
    }
    await keepLanguage(deps, scene.visit, request);
    const result: StepResult = await step(deps, scene, {
      query: queryOf(request),
      address: request.ip,
      form: new URLSearchParams(bodyOf(request).toString('utf8')),
    });
    if ('goTo' in result) return reply.redirect(result.goTo, 303);
    if ('state' in result) return reply.send(result);
    return isFrame(request)
      ? send(reply, scene, frameEndPage(scene, scene.path), true)
      : send(reply, scene, result);
  };
  return (step: Step, options: StepOptions = {}) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const page = `/checkout/pay/${paramsOf(request).token ?? ''}`;
      const refused = refuseOtherSite(deps, request, reply, page);
      if (refused !== undefined) return refused;
      const visit = await findVisit(deps, paramsOf(request).token ?? '', suspendOf(request));
      if (visit === undefined) {
        const scene = bareScene(deps, request);
        return send(reply, scene, notFoundPage(scene));
      }
      const scene = paymentScene(deps, request, visit);
      // The bank has sent its frame back to us. Nothing happens until the whole window comes here.
      return isFrame(request) && options.inFrame !== true
        ? send(reply, scene, frameEndPage(scene, request.url), true)
        : answer(scene, { step, options }, request, reply);
    };
}

/** The hosted checkout page, and the URLs to which the upstreams send the buyer back. */
export function checkoutRoutes(app: FastifyInstance, deps: CheckoutPageDependencies): void {
  const visited = visiting(deps, () => deps.payments.links.checkoutUrl('').startsWith('https:'));
  const errorPage = sendErrorPage(deps, (token) => `/checkout/pay/${token}`);
  const page = { config: { errorPage } } as const;
  const movesMoney = { config: { errorPage, importance: 'money' } } as const;
  fileRoutes(app, deps);
  app.get('/checkout/pay/:token', page, visited(present));
  app.post('/checkout/pay/:token', movesMoney, visited(payByCard, { binds: true }));
  app.get('/checkout/pay/:token/card', page, visited(askForCard));
  app.get('/checkout/pay/:token/approved', page, visited(present));
  app.post('/checkout/pay/:token/approved', movesMoney, visited(approveFields, { binds: true }));
  app.get('/checkout/pay/:token/continue', page, visited(continueToProvider, { binds: true, inFrame: true }));
  app.get('/checkout/pay/:token/receipt', page, visited(present));
  app.post('/checkout/pay/:token/receipt', page, visited(mailReceipt));
  app.get('/checkout/pay/:token/wait', page, visited(wait));
  app.get('/checkout/pay/:token/state', visited(reportState, { anyBrowser: true }));
  app.get('/checkout/return/:token', movesMoney, visited(returnFromProvider, { anyBrowser: true }));
  app.get('/checkout/cancel/:token', page, visited(cancelAtProvider, { anyBrowser: true }));
}

const notThere = () => new ApiError('not_found', 'There is nothing at this address.');

const immutable = 'public, max-age=31536000, immutable';

/** Script, style sheets, inventory, logos, and the intake for browsers' reports of policy violations. */
function fileRoutes(app: FastifyInstance, deps: CheckoutPageDependencies): void {
  app.get('/checkout/assets/:name', async (request, reply) => {
    const path = `/checkout/assets/${paramsOf(request).name ?? ''}`;
    const asset = deps.assets.find(path, headerOf(request, 'accept-encoding') ?? '');
    if (asset === undefined) throw notThere();
    reply.headers({ 'content-type': asset.contentType, 'cache-control': immutable, vary: 'accept-encoding' });
    reply.header('cross-origin-resource-policy', 'same-origin');
    if (asset.encoding !== 'identity') reply.header('content-encoding', asset.encoding);
    return reply.send(asset.body);
  });
  app.get('/checkout/scripts.json', (_request, reply) => reply.send(deps.assets.inventoryText));
  app.get('/checkout/logo/:account/:hash', async (request, reply) => {
    const { account = '', hash = '' } = paramsOf(request);
    const logo = await readLogo(deps.payments.db, account, hash);
    if (logo === undefined) throw notThere();
    return reply
      .headers({
        'content-type': logo.contentType,
        'cache-control': immutable,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      })
      .send(logo.bytes);
  });
  const take = reportIntake(deps.payments.clock.elapsed, deps.onReport);
  app.post(reportPath, (request, reply) => {
    take(bodyOf(request));
    return reply.code(204).send();
  });
}
