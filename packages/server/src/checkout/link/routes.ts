import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { suspendOf } from '../../http/admission/admit.ts';
import { clientOf } from '../../http/input/input.ts';
import { readBrowser } from '../browser.ts';
import type { CheckoutPageDependencies } from '../dependencies.ts';
import { notFoundPage } from '../pages/end-pages.ts';
import { chooseLanguage } from '../pages/texts/languages.ts';
import { Words } from '../pages/words.ts';
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
} from '../reply.ts';
import {
  type LinkStep,
  payByLink,
  presentLinkPage,
  reportAttemptState,
  reportOwnState,
  showAttempt,
  startAgain,
} from './steps.ts';
import { type LinkScene, openLink } from './visit.ts';

type Opened = NonNullable<Awaited<ReturnType<typeof openLink>>>;

function linkScene(
  deps: CheckoutPageDependencies,
  request: FastifyRequest,
  { visit, branding }: Opened,
): LinkScene {
  const language = chooseLanguage({
    chosen: chosenIn(request)?.tag ?? null,
    customer: null,
    browserInfo: null,
    accepted: headerOf(request, 'accept-language'),
    account: branding.defaultLocale,
  });
  return {
    ...shopScene(deps, visit.context, branding),
    visit,
    words: new Words(language),
    assets: deps.assets,
    path: `/pay/${paramsOf(request).token ?? ''}`,
    requestId: request.id,
  };
}

/** The pages of payment links, which buyers see before their payment begins. */
export function linkPageRoutes(app: FastifyInstance, deps: CheckoutPageDependencies): void {
  const secure = () => deps.payments.links.checkoutUrl('').startsWith('https:');
  const visited = (step: LinkStep) => async (request: FastifyRequest, reply: FastifyReply) => {
    const refused = refuseOtherSite(deps, request, reply, `/pay/${paramsOf(request).token ?? ''}`);
    if (refused !== undefined) return refused;
    const browser = readBrowser(request.headers.cookie, secure(), deps.payments.randomBytes);
    if (browser.setCookie !== null) reply.header('set-cookie', browser.setCookie);
    const { token = '', form: named = '' } = paramsOf(request);
    const opened = await openLink(deps, token, browser, suspendOf(request));
    if (opened === undefined) {
      const scene = bareScene(deps, request);
      return send(reply, scene, notFoundPage(scene));
    }
    const scene = linkScene(deps, request, opened);
    const result = await step(deps, scene, {
      query: queryOf(request),
      form: new URLSearchParams(bodyOf(request).toString('utf8')),
      client: clientOf(request),
      named,
    });
    if ('goTo' in result) return reply.redirect(result.goTo, 303);
    return 'state' in result ? reply.send(result) : send(reply, scene, result);
  };
  const errorPage = sendErrorPage(deps, (token) => `/pay/${token}`);
  const page = { config: { errorPage } } as const;
  const movesMoney = { config: { errorPage, importance: 'money' } } as const;
  app.get('/pay/:token', page, visited(presentLinkPage));
  app.get('/pay/:token/wait', page, visited(presentLinkPage));
  app.get('/pay/:token/state', visited(reportOwnState));
  app.post('/pay/:token', movesMoney, visited(payByLink));
  app.post('/pay/:token/again', page, visited(startAgain));
  app.get('/pay/:token/attempts/:form', page, visited(showAttempt));
  app.get('/pay/:token/attempts/:form/wait', page, visited(showAttempt));
  app.get('/pay/:token/attempts/:form/state', visited(reportAttemptState));
}
